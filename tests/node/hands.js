'use strict';
// What players do with their hands: dig, place, use, hit, drop.

const { AIR, FACES, Block, Vec3, copy, registry, stack, state } = require('./tables');
const { HOTBAR, OFFHAND } = require('./menus');
const { EXHAUSTION } = require('./player');
const { boxOf, cellBox, overlap } = require('./world');

const DIG = { start: 0, abort: 1, finish: 2, dropStack: 3, dropOne: 4, release: 5, swapHands: 6 };
const ATTACK = 1;

/** Attack damage and attacks a second of weapons; a bare hand has 1 and 4 (vanilla 1.21.1). */
const TIERS = ['wooden', 'stone', 'iron', 'diamond', 'netherite', 'golden'];
const WEAPONS = {
  sword: { damage: [4, 5, 6, 7, 8, 4], speed: [1.6, 1.6, 1.6, 1.6, 1.6, 1.6] },
  axe: { damage: [7, 9, 9, 9, 10, 7], speed: [0.8, 0.8, 0.9, 1, 1, 1] },
  pickaxe: { damage: [2, 3, 4, 5, 6, 2], speed: [1.2, 1.2, 1.2, 1.2, 1.2, 1.2] },
  shovel: { damage: [2.5, 3.5, 4.5, 5.5, 6.5, 2.5], speed: [1, 1, 1, 1, 1, 1] },
  hoe: { damage: [1, 1, 1, 1, 1, 1], speed: [1, 2, 3, 4, 4, 1] }
};

/** Leaves drop so seldom what the loot table lists that it is said here. */
const LEAF_LOOT = [['sapling', 0.05], ['stick', 0.02], ['apple', 0.005]];

const BEHIND = { north: 'south', south: 'north', west: 'east', east: 'west' };
const SIDES = [null, null, 'north', 'south', 'west', 'east'];

class Hands {
  constructor (game) {
    this.game = game;
    this.world = game.world;
  }

  // --- digging ---------------------------------------------------------------------------------------------

  onDig (player, { status, location, sequence }) {
    const position = new Vec3(location.x, location.y, location.z);
    switch (status) {
      case DIG.start:
      case DIG.abort:
      case DIG.finish:
        this.game.acknowledge(player, sequence);
        if (!player.dead && !player.teleport) this.dig(player, status, position);
        break;
      case DIG.dropStack:
      case DIG.dropOne:
        this.dropHeld(player, status === DIG.dropStack);
        break;
      case DIG.release:
        player.eating = null;
        break;
      case DIG.swapHands:
        this.swapHands(player);
        break;
    }
  }

  dig (player, status, position) {
    const { judge } = this.game;
    if (status === DIG.abort) {
      player.dig = null;
      return;
    }
    const block = this.world.blockAt(position);
    if (!judge.digReach(player, position)) {
      this.tell(player, position);
      return;
    }
    if (status === DIG.start) {
      const need = judge.digTime(player, block);
      if (need === 0) this.break(player, position);
      else player.dig = { position, need, since: Date.now() };
      return;
    }
    // a block that broke at the first blow is finished by some clients all the same
    if (!player.dig && this.world.stateAt(position) === AIR) return;
    const enough = judge.digEnd(player, block, player.dig);
    player.dig = null;
    if (enough) this.break(player, position);
    else this.tell(player, position);
  }

  /** A player breaks a block: it drops what it drops for the tool in hand. */
  break (player, position) {
    const block = this.world.blockAt(position);
    if (block.type === registry.blocksByName.air.id) return;
    const { creatures, journal, containers } = this.game;
    journal.event('dug', { who: player.name, block: block.name, at: position });
    this.world.set(position, AIR);
    const middle = position.offset(0.5, 0.25, 0.5);
    for (const item of containers.remove(position)) creatures.drop(middle, item);
    if (player.gameMode === 'creative') return;
    const held = player.held;
    if (block.canHarvest(held ? held.type : null)) {
      for (const item of this.dropsOf(block)) creatures.drop(middle, item);
    }
    player.exhaust(EXHAUSTION.dig);
    if (block.hardness > 0) player.wear();
  }

  dropsOf (block) {
    if (block.name.endsWith('_leaves')) return this.leafDrops(block.name);
    const loot = registry.blockLoot[block.name];
    if (!loot) return block.drops.map(drop => stack(registry.items[drop.drop ? drop.drop.id : drop].name));
    return loot.drops
      .filter(({ item, silkTouch }) => !silkTouch && registry.itemsByName[item])
      .filter(({ noSilkTouch, dropChance }) => noSilkTouch || this.game.random() <= (dropChance ?? 1))
      .map(({ item, stackSizeRange }) => stack(item, (stackSizeRange && stackSizeRange[0]) || 1));
  }

  leafDrops (name) {
    const wood = name.replace('_leaves', '');
    return LEAF_LOOT
      .filter(([kind, chance]) => this.game.random() < chance && (kind !== 'apple' || wood === 'oak'))
      .map(([kind]) => (kind === 'sapling' ? `${wood}_sapling` : kind))
      .filter(item => registry.itemsByName[item])
      .map(item => stack(item));
  }

  /** Tell a client what really stands there. */
  tell (player, position) {
    player.client.write('block_change', { location: position, type: this.world.stateAt(position) });
  }

  // --- placing and using -----------------------------------------------------------------------------------

  onPlace (player, packet) {
    const { location, direction, hand, cursorX, cursorY, cursorZ, sequence } = packet;
    this.game.acknowledge(player, sequence);
    if (player.dead || player.teleport) return;
    const position = new Vec3(location.x, location.y, location.z);
    const beside = position.offset(...FACES[direction]);
    const slot = hand === 1 ? OFFHAND : HOTBAR + player.heldSlot;
    if (!this.game.judge.placeReach(player, position, [cursorX, cursorY, cursorZ])) {
      this.tell(player, beside);
      return;
    }
    if (!player.sneaking && this.openAt(player, position)) return;
    if (this.place(player, slot, position, beside, direction)) return;
    this.tell(player, position);
    this.tell(player, beside);
    player.menus.put(slot, player.menus.own.slots[slot]);
  }

  openAt (player, position) {
    const { containers } = this.game;
    switch (this.world.blockAt(position).name) {
      case 'crafting_table':
        player.menus.openTable();
        return true;
      case 'chest':
        player.menus.openChest(containers.chest(position));
        return true;
      case 'furnace':
        player.menus.openFurnace(containers.furnace(position));
        return true;
      default:
        return false;
    }
  }

  place (player, slot, against, beside, direction) {
    const item = player.menus.own.slots[slot];
    if (!item || !registry.blocksByName[item.name]) return false;
    const replaces = this.replaceable(against);
    const target = replaces ? against : beside;
    if (!replaces && !this.replaceable(target)) return false;
    const stateId = this.placedState(player, item.name, direction);
    if (stateId === null || this.someoneIn(target, stateId)) return false;
    this.world.set(target, stateId);
    player.consume(slot);
    this.game.journal.event('placed', { who: player.name, block: item.name, at: target });
    return true;
  }

  replaceable (position) {
    const { name, boundingBox } = this.world.blockAt(position);
    return boundingBox === 'empty' && !/torch|sign|button|rail|lever/.test(name);
  }

  /** The state a block is placed in: which way it lies or looks. Null where it can't hang. */
  placedState (player, name, direction) {
    if (name === 'torch') {
      if (direction === 0) return null;
      return direction === 1 ? state('torch') : state('wall_torch', { facing: SIDES[direction] });
    }
    const names = new Set((registry.blocksByName[name].states || []).map(property => property.name));
    if (names.has('axis')) return state(name, { axis: ['y', 'y', 'z', 'z', 'x', 'x'][direction] });
    if (names.has('facing') && /chest|furnace|smoker/.test(name)) {
      return state(name, { facing: BEHIND[heading(player.yaw)] });
    }
    return state(name);
  }

  someoneIn (position, stateId) {
    if (Block.fromStateId(stateId, 0).boundingBox === 'empty') return false;
    const cell = cellBox(position);
    const { players, creatures } = this.game;
    const bodies = [...players.filter(player => !player.dead), ...creatures.all.values()].filter(body => !body.item);
    return bodies.some(body => overlap(cell, boxOf(body.position, body.width, body.height)));
  }

  onUse (player, { hand, sequence }) {
    this.game.acknowledge(player, sequence);
    if (!player.dead) player.eat(hand === 1 ? OFFHAND : HOTBAR + player.heldSlot);
  }

  dropHeld (player, all) {
    const item = player.held;
    if (!item || player.dead) return;
    const count = all ? item.count : 1;
    player.throwItem(copy(item, count));
    item.count -= count;
    player.menus.put(HOTBAR + player.heldSlot, item);
  }

  swapHands (player) {
    const main = HOTBAR + player.heldSlot;
    const { slots } = player.menus.own;
    const [held, other] = [slots[main], slots[OFFHAND]];
    player.menus.put(main, other);
    player.menus.put(OFFHAND, held);
  }

  // --- hitting ---------------------------------------------------------------------------------------------

  onUseEntity (player, { target, mouse }) {
    if (mouse !== ATTACK || player.dead) return;
    const { creatures, judge, journal, players } = this.game;
    const victim = creatures.get(target) || players.find(other => other.id === target);
    if (victim && victim.dying) return;
    if (!victim || victim.item || victim === player) {
      journal.judge(player, 'attack_bad_target', { target });
      return;
    }
    if (!judge.attackReach(player, victim)) return;
    const amount = this.blow(player);
    player.exhaust(EXHAUSTION.attack);
    if (victim.menus) victim.hurt(amount, 'player_attack', player);
    else creatures.strike(victim, amount, player);
  }

  /** Damage of a blow: less while the arm has not rested, half as much again while falling. */
  blow (player) {
    const { damage, speed } = weapon(player.held);
    const rested = Math.min(1, ((Date.now() - player.attackedAt) / 50 + 0.5) / (20 / speed));
    player.attackedAt = Date.now();
    const falling = !player.onGround && player.position.y < player.fellFrom - 0.01;
    const critical = falling && rested > 0.9 && !player.sprinting;
    return damage * (0.2 + rested * rested * 0.8) * (critical ? 1.5 : 1);
  }
}

function weapon (item) {
  const [tier, kind] = item ? item.name.split('_') : [];
  const rank = TIERS.indexOf(tier);
  const figures = rank >= 0 && WEAPONS[kind];
  return figures ? { damage: figures.damage[rank], speed: figures.speed[rank] } : { damage: 1, speed: 4 };
}

/** The side of the world a yaw looks to. */
function heading (yaw) {
  return ['south', 'west', 'north', 'east'][Math.round(yaw / 90) & 3];
}

module.exports = { Hands };
