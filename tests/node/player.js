'use strict';
// One player as the server has it: where it is, how it fares, what it is sent.

const { GAME_MODES, Vec3, copy, damageType, registry, text } = require('./tables');
const { HOTBAR, Menus } = require('./menus');
const { ChunkView } = require('./view');

const STANDING_HEIGHT = 1.8;
const SNEAKING_HEIGHT = 1.5;
const SAFE_FALL = 3;
const VOID_Y = -128;
const MAX_HEALTH = 20;
const MAX_FOOD = 20;
const EAT_TICKS = 32;
const HURT_TICKS = 10;
const TELEPORT_AGAIN_TICKS = 20;
/** What exertion costs: four of it are one point of saturation, or of food when there is none (vanilla 1.21.1). */
const EXHAUSTION = { sprintBlock: 0.1, jump: 0.05, sprintJump: 0.2, dig: 0.005, attack: 0.1, heal: 6 };

class Player {
  constructor (game, client, id) {
    this.game = game;
    this.client = client;
    this.id = id;
    this.uuid = client.uuid;
    this.name = client.username;
    this.width = 0.6;
    this.position = game.world.spawn;
    this.yaw = 0;
    this.pitch = 0;
    this.onGround = true;
    this.sneaking = false;
    this.sprinting = false;
    this.gameMode = game.options.gameMode;
    this.heldSlot = 0;
    this.menus = new Menus(this, game.journal);
    this.view = new ChunkView(client, game.world, game.viewDistanceFor(client), game.options.minPace);
    this.violations = 0;
    this.moveTimes = [];
    this.teleports = 0;
    this.teleport = null;
    this.dig = null;
    this.sequence = -1;
    this.attackedAt = 0;
    this.live();
  }

  /** Fresh into life: at first, and after each death. */
  live () {
    this.health = MAX_HEALTH;
    this.food = MAX_FOOD;
    this.saturation = 5;
    this.exhaustion = 0;
    this.dead = false;
    this.eating = null;
    this.hurtUntil = 0;
    this.fellFrom = this.position.y;
    this.ticks = 0;
  }

  get height () {
    return this.sneaking ? SNEAKING_HEIGHT : STANDING_HEIGHT;
  }

  /** Which way the head is turned, as a vector of length one. */
  get gaze () {
    const [yaw, pitch] = [this.yaw * Math.PI / 180, this.pitch * Math.PI / 180];
    return new Vec3(-Math.sin(yaw) * Math.cos(pitch), -Math.sin(pitch), Math.cos(yaw) * Math.cos(pitch));
  }

  get held () {
    return this.menus.own.slots[HOTBAR + this.heldSlot] || null;
  }

  /** Use up some of a slot of its own inventory. */
  consume (slot, count = 1) {
    const item = this.menus.own.slots[slot];
    if (!item || this.gameMode === 'creative') return;
    item.count -= count;
    this.menus.put(slot, item);
  }

  /** The tool in hand has done a piece of work: it wears, and breaks in the end. */
  wear () {
    const item = this.held;
    if (!item || !item.maxDurability || this.gameMode === 'creative') return;
    const worn = item.components.find(component => component.type === 'damage');
    const damage = (worn ? worn.data : 0) + 1;
    item.components = damage < item.maxDurability ? [{ type: 'damage', data: damage }] : [];
    this.menus.put(HOTBAR + this.heldSlot, damage < item.maxDurability ? item : null);
  }

  /** Throw a stack the way the player looks. */
  throwItem (item) {
    const { x, z } = this.gaze;
    const across = Math.hypot(x, z) || 1;
    const target = this.position.offset(x / across * 2, 1, z / across * 2);
    const free = this.game.world.isFree(target.floored());
    this.game.creatures.drop(free ? target : this.position.offset(0, 1, 0), copy(item, item.count), { thrown: true });
  }

  // --- moving ----------------------------------------------------------------------------------------------

  /** Put the player somewhere. Until the client has confirmed it, its movements count for nothing. */
  teleportTo (position, yaw = this.yaw, pitch = this.pitch) {
    this.position = position.clone();
    this.fellFrom = position.y;
    this.yaw = yaw;
    this.pitch = pitch;
    this.dig = null;
    this.teleports += 1;
    this.teleport = { id: this.teleports, ticks: 0 };
    this.sendTeleport();
    this.view.follow(position.x, position.z);
  }

  sendTeleport () {
    const { x, y, z } = this.position;
    const { yaw, pitch } = this;
    const fields = { x, y, z, yaw, pitch, flags: { _value: 0 }, teleportId: this.teleport.id };
    this.client.write('position', fields);
  }

  /** The client says where it has moved to. */
  moveTo (position, onGround) {
    if (this.teleport || this.dead) return;
    if (this.confirmed) {
      // the answer to a teleport repeats the place and says "in the air", wherever that is
      this.confirmed = false;
      if (position.distanceTo(this.position) < 1e-6) return;
    }
    if (!this.game.judge.move(this, position, onGround)) {
      this.teleportTo(this.position);
      return;
    }
    const from = this.position;
    this.position = position;
    this.exertion(from, position, onGround);
    this.fall(position, onGround);
    this.view.follow(position.x, position.z);
    this.game.showMove(this);
  }

  exertion (from, to, onGround) {
    const jumped = this.onGround && !onGround && to.y - from.y > 0.3;
    if (this.sprinting) this.exhaust(Math.hypot(to.x - from.x, to.z - from.z) * EXHAUSTION.sprintBlock);
    if (jumped) this.exhaust(this.sprinting ? EXHAUSTION.sprintJump : EXHAUSTION.jump);
  }

  fall (position, onGround) {
    this.onGround = onGround;
    this.fellFrom = Math.max(this.fellFrom, position.y);
    if (!onGround) return;
    const fell = this.fellFrom - position.y;
    this.fellFrom = position.y;
    if (fell > SAFE_FALL) this.hurt(Math.ceil(fell - SAFE_FALL), 'fall');
  }

  // --- faring ----------------------------------------------------------------------------------------------

  exhaust (amount) {
    if (this.gameMode !== 'survival') return;
    this.exhaustion += amount;
    while (this.exhaustion >= 4) {
      this.exhaustion -= 4;
      if (this.saturation > 0) this.saturation = Math.max(0, this.saturation - 1);
      else this.food = Math.max(0, this.food - 1);
      this.sendVitals();
    }
  }

  sendVitals () {
    const { health, food, saturation } = this;
    this.client.write('update_health', { health, food, foodSaturation: saturation });
  }

  /** Damage of a kind, by a creature or player where there is one. Ten ticks pass between two blows. */
  hurt (amount, kind, by = null) {
    const invulnerable = this.gameMode === 'creative' || this.gameMode === 'spectator';
    if (this.dead || (invulnerable && kind !== 'generic_kill')) return false;
    if (by && this.ticks < this.hurtUntil) return false;
    this.hurtUntil = this.ticks + HURT_TICKS;
    this.health = Math.max(0, this.health - amount);
    this.exhaust(EXHAUSTION.attack);
    this.game.journal.event('damage', { who: this.name, amount, kind, health: this.health });
    this.game.broadcast('damage_event', {
      entityId: this.id,
      sourceTypeId: damageType(kind),
      sourceCauseId: by ? by.id + 1 : 0,
      sourceDirectId: by ? by.id + 1 : 0,
      sourcePosition: undefined
    });
    this.sendVitals();
    if (this.health <= 0) this.die(kind);
    return true;
  }

  die (kind) {
    this.dead = true;
    this.eating = this.dig = null;
    const message = text(`${this.name} died (${kind})`);
    this.game.journal.event('death', { who: this.name, kind });
    for (const item of this.menus.empty()) this.game.creatures.drop(this.position, item);
    this.client.write('death_combat_event', { playerId: this.id, message });
  }

  respawn () {
    if (!this.dead) return;
    const place = { dimensionName: 'minecraft:overworld', location: this.position.floored() };
    this.position = this.game.world.spawn;
    this.live();
    this.view.clear();
    this.client.write('respawn', { worldState: { ...this.spawnInfo(), death: place }, copyMetadata: 0 });
    this.teleportTo(this.position, 0, 0);
    this.client.write('game_state_change', { reason: 'level_chunks_load_start', gameMode: 0 });
    this.sendVitals();
    this.menus.sync();
    this.game.showMove(this);
  }

  /** What login and respawn say about the world and the player's place in it. */
  spawnInfo () {
    return {
      ...registry.loginPacket.worldState,
      dimension: 0,
      name: 'minecraft:overworld',
      hashedSeed: [0, 0],
      gamemode: this.gameMode,
      previousGamemode: 255,
      isDebug: false,
      isFlat: this.game.world.kind === 'flat',
      death: undefined,
      portalCooldown: 0
    };
  }

  setGameMode (gameMode) {
    this.gameMode = gameMode;
    this.client.write('game_state_change', { reason: 'change_game_mode', gameMode: GAME_MODES.indexOf(gameMode) });
    this.sendAbilities();
  }

  sendAbilities () {
    const flags = { survival: 0, creative: 13, adventure: 0, spectator: 7 }[this.gameMode];
    this.client.write('abilities', { flags, flyingSpeed: 0.05, walkingSpeed: 0.1 });
  }

  // --- eating ----------------------------------------------------------------------------------------------

  /** Begin to eat what is in a hand, when it is food and there is room for it. */
  eat (slot) {
    const item = this.menus.own.slots[slot];
    const food = item && registry.foodsByName[item.name];
    if (!food || (this.food >= MAX_FOOD && item.name !== 'golden_apple')) return;
    this.eating = { slot, item, food, ticks: 0 };
  }

  chew () {
    const { slot, item, food } = this.eating;
    if (this.menus.own.slots[slot] !== item) {
      this.eating = null;
      return;
    }
    this.eating.ticks += 1;
    if (this.eating.ticks < EAT_TICKS) return;
    this.eating = null;
    this.food = Math.min(MAX_FOOD, this.food + food.foodPoints);
    this.saturation = Math.min(this.food, this.saturation + food.saturation);
    this.client.write('entity_status', { entityId: this.id, entityStatus: 9 });
    this.consume(slot);
    this.sendVitals();
    this.game.journal.event('eaten', { who: this.name, item: item.name, food: this.food });
  }

  // --- the tick --------------------------------------------------------------------------------------------

  tick () {
    this.ticks += 1;
    this.view.tick();
    if (this.teleport && ++this.teleport.ticks % TELEPORT_AGAIN_TICKS === 0) this.sendTeleport();
    if (this.dead) return;
    if (this.eating) this.chew();
    this.heal();
    if (this.position.y < VOID_Y && this.ticks % HURT_TICKS === 0) this.hurt(4, 'out_of_world');
    if (this.ticks % 10 === 0) this.menus.sendBars();
  }

  /** As on normal difficulty: quickly while full and sated, slowly while well fed; starving hurts. */
  heal () {
    const hurt = this.health < MAX_HEALTH;
    if (hurt && this.food >= MAX_FOOD && this.saturation > 0 && this.ticks % 10 === 0) {
      const spent = Math.min(this.saturation, 6);
      this.health = Math.min(MAX_HEALTH, this.health + spent / 6);
      this.exhaust(spent);
      this.sendVitals();
    } else if (hurt && this.food >= 18 && this.ticks % 80 === 0) {
      this.health = Math.min(MAX_HEALTH, this.health + 1);
      this.exhaust(EXHAUSTION.heal);
      this.sendVitals();
    } else if (this.food <= 0 && this.health > 1 && this.ticks % 80 === 0) {
      this.hurt(1, 'starve');
    }
  }
}

module.exports = { EXHAUSTION, Player };
