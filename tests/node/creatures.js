'use strict';
// Everything alive that is no player, and what lies on the ground.

const crypto = require('crypto');
const { Item, copy, damageType, registry, stack } = require('./tables');
const { boxOf, overlap } = require('./world');

const PICKUP_DELAY = 10;
const THROWN_PICKUP_DELAY = 40;
const DESPAWN_TICKS = 6000;
const DYING_TICKS = 20;
const HURT_TICKS = 10;
const FALL_SPEED = 0.4;
const ZOMBIE_SPEED = 0.115;
const ZOMBIE_SIGHT = 24;
const ZOMBIE_PAUSE = 20;
const ZOMBIE_DAMAGE = 3;
/** A move packet counts 1/4096 of a block, in 16 bits. */
const FINE = 4096;
const ITEM_STACK_KEY = 8;
const HEALTH_KEY = 9;

const HEALTH = { zombie: 20, pig: 10, cow: 10, chicken: 4, sheep: 8 };
const LOOT = {
  pig: () => [stack('porkchop', 2)],
  cow: () => [stack('beef', 2), stack('leather', 1)],
  chicken: () => [stack('chicken', 1)],
  sheep: () => [stack('mutton', 2), stack('white_wool', 1)],
  zombie: () => [stack('rotten_flesh', 1)]
};

class Creature {
  constructor (id, kind, position, item) {
    const type = registry.entitiesByName[kind];
    this.id = id;
    this.uuid = crypto.randomUUID();
    this.kind = kind;
    this.type = type.id;
    this.width = type.width;
    this.height = type.height;
    this.position = position.clone();
    this.item = item || null;
    this.health = HEALTH[kind] || 10;
    this.age = 0;
    this.dying = 0;
    this.hurtUntil = 0;
    this.lastHurt = 0;
    this.delay = 0;
    this.sent = fine(position);
  }
}

class Creatures {
  constructor (game) {
    this.game = game;
    this.all = new Map();
  }

  get (id) {
    return this.all.get(id) || null;
  }

  summon (kind, position) {
    return this.add(new Creature(this.game.nextId(), kind, position));
  }

  /** Let a stack fall to the ground. */
  drop (position, item, { thrown = false } = {}) {
    const entity = new Creature(this.game.nextId(), 'item', position, copy(item, item.count));
    entity.delay = thrown ? THROWN_PICKUP_DELAY : PICKUP_DELAY;
    return this.add(entity);
  }

  add (creature) {
    this.all.set(creature.id, creature);
    for (const player of this.game.players) this.show(creature, player.client);
    return creature;
  }

  /** Tell one client that something is there. */
  show (creature, client) {
    const { id, uuid, type, position, item, health } = creature;
    client.write('spawn_entity', {
      entityId: id, objectUUID: uuid, type, x: position.x, y: position.y, z: position.z,
      pitch: 0, yaw: 0, headPitch: 0, objectData: 0, velocity: { x: 0, y: 0, z: 0 }
    });
    const metadata = item
      ? { key: ITEM_STACK_KEY, type: 'item_stack', value: Item.toNotch(item) }
      : { key: HEALTH_KEY, type: 'float', value: health };
    client.write('entity_metadata', { entityId: id, metadata: [metadata] });
  }

  remove (creature) {
    this.all.delete(creature.id);
    this.game.broadcast('entity_destroy', { entityIds: [creature.id] });
  }

  // --- blows -----------------------------------------------------------------------------------------------

  /** A blow by a player. For ten ticks after one, only what a harder one has more counts. */
  strike (creature, amount, by) {
    const { game } = this;
    const dealt = game.ticks < creature.hurtUntil ? amount - creature.lastHurt : amount;
    if (dealt <= 0 || creature.dying) return;
    if (game.ticks >= creature.hurtUntil) creature.hurtUntil = game.ticks + HURT_TICKS;
    creature.lastHurt = amount;
    creature.health -= dealt;
    game.journal.event('hit', { who: by.name, kind: creature.kind, dealt, health: creature.health });
    game.broadcast('damage_event', {
      entityId: creature.id,
      sourceTypeId: damageType('player_attack'),
      sourceCauseId: by.id + 1,
      sourceDirectId: by.id + 1,
      sourcePosition: undefined
    });
    game.broadcast('hurt_animation', { entityId: creature.id, yaw: 0 });
    this.knockBack(creature, by);
    if (creature.health <= 0) this.die(creature);
  }

  knockBack (creature, by) {
    const away = creature.position.minus(by.position);
    const length = Math.hypot(away.x, away.z) || 1;
    const to = creature.position.offset(away.x / length * 0.8, 0, away.z / length * 0.8);
    if (this.game.world.isFree(to.floored())) creature.position = to;
    this.game.broadcast('entity_velocity', { entityId: creature.id, velocity: knock(away) });
  }

  die (creature) {
    creature.dying = 1;
    this.game.broadcast('entity_status', { entityId: creature.id, entityStatus: 3 });
    this.game.journal.event('killed', { kind: creature.kind, id: creature.id });
    const loot = LOOT[creature.kind];
    for (const item of loot ? loot() : []) this.drop(creature.position.offset(0, 0.5, 0), item);
  }

  // --- the tick --------------------------------------------------------------------------------------------

  tick () {
    for (const creature of [...this.all.values()]) {
      creature.age += 1;
      if (creature.dying && ++creature.dying > DYING_TICKS) {
        this.remove(creature);
        continue;
      }
      this.fall(creature);
      if (creature.item) this.lie(creature);
      else if (!creature.dying) this.live(creature);
      if (creature.age % 2 === 0 && this.all.has(creature.id)) this.sendMove(creature);
    }
  }

  fall (creature) {
    const { x, y, z } = creature.position;
    const floor = this.game.world.floorBelow(x, y + 1e-6, z);
    if (y > floor) creature.position.y = Math.max(floor, y - FALL_SPEED);
  }

  live (creature) {
    if (creature.kind === 'zombie') this.hunt(creature);
    else if (creature.age % 40 === creature.id % 40) this.wander(creature);
  }

  /** A stack on the ground goes to whoever stands near enough. */
  lie (entity) {
    if (entity.age < entity.delay) return;
    if (entity.age > DESPAWN_TICKS) {
      this.remove(entity);
      return;
    }
    const box = boxOf(entity.position, 0.25, 0.25);
    const taker = this.game.players.find(player => !player.dead && overlap(box, pickupBox(player)));
    if (taker) this.pickUp(entity, taker);
  }

  pickUp (entity, player) {
    const left = player.menus.add(entity.item);
    const taken = entity.item.count - left;
    if (!taken) return;
    this.game.broadcast('collect', {
      collectedEntityId: entity.id, collectorEntityId: player.id, pickupItemCount: taken
    });
    this.game.journal.event('picked_up', { who: player.name, item: entity.item.name, count: taken });
    if (!left) {
      this.remove(entity);
      return;
    }
    entity.item.count = left;
    const metadata = [{ key: ITEM_STACK_KEY, type: 'item_stack', value: Item.toNotch(entity.item) }];
    this.game.broadcast('entity_metadata', { entityId: entity.id, metadata });
  }

  wander (creature) {
    const to = creature.position.offset(this.game.random() - 0.5, 0, this.game.random() - 0.5);
    if (this.game.world.isFree(to.floored())) creature.position = to;
  }

  hunt (zombie) {
    const prey = this.game.players
      .filter(player => !player.dead && player.gameMode === 'survival')
      .sort((a, b) => a.position.distanceTo(zombie.position) - b.position.distanceTo(zombie.position))[0];
    if (!prey) return;
    const way = prey.position.minus(zombie.position);
    const distance = Math.hypot(way.x, way.z);
    if (distance > ZOMBIE_SIGHT) return;
    if (distance > 1.1 || Math.abs(way.y) > 2) this.approach(zombie, way, distance);
    else if (zombie.age >= (zombie.strikesAgain || 0)) {
      zombie.strikesAgain = zombie.age + ZOMBIE_PAUSE;
      if (prey.hurt(ZOMBIE_DAMAGE, 'mob_attack', zombie)) {
        prey.client.write('entity_velocity', { entityId: prey.id, velocity: knock(way) });
      }
    }
  }

  /** A step towards the prey, up one block at most. */
  approach (zombie, way, distance) {
    const step = Math.min(ZOMBIE_SPEED, distance) / (distance || 1);
    const to = zombie.position.offset(way.x * step, 0, way.z * step);
    to.y = this.game.world.floorBelow(to.x, zombie.position.y + 1 + 1e-6, to.z);
    if (to.y - zombie.position.y <= 1) zombie.position = to;
  }

  /** Small moves as differences, large ones and every twentieth as a place. */
  sendMove (creature) {
    const now = fine(creature.position);
    const [dX, dY, dZ] = now.map((value, axis) => value - creature.sent[axis]);
    if (!dX && !dY && !dZ) return;
    creature.sent = now;
    const large = Math.max(Math.abs(dX), Math.abs(dY), Math.abs(dZ)) > 0x7fff;
    const { x, y, z } = creature.position;
    if (large || creature.age % 40 === 0) {
      const fields = { entityId: creature.id, x, y, z, yaw: 0, pitch: 0, onGround: true };
      this.game.broadcast('entity_teleport', fields);
    } else {
      this.game.broadcast('rel_entity_move', { entityId: creature.id, dX, dY, dZ, onGround: true });
    }
  }
}

function fine ({ x, y, z }) {
  return [x, y, z].map(value => Math.round(value * FINE));
}

/** Speed of something that was hit, in the wire's 1/8000 block a tick: 0.4 away, 0.36 up. */
function knock (way) {
  const length = Math.hypot(way.x, way.z) || 1;
  return { x: Math.round(way.x / length * 3200), y: 2880, z: Math.round(way.z / length * 3200) };
}

/** A player takes what touches its box grown by one block to the sides and half a block up and down. */
function pickupBox (player) {
  const [x0, y0, z0, x1, y1, z1] = boxOf(player.position, player.width, player.height);
  return [x0 - 1, y0 - 0.5, z0 - 1, x1 + 1, y1 + 0.5, z1 + 1];
}

module.exports = { Creatures };
