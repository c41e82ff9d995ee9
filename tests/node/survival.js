'use strict';
// The game that joins everything: who is there, what they send, what happens twenty times a second.

const { Vec3, Item, GAME_MODES, registry, text } = require('./tables');
const { runCommand } = require('./commands');
const { Containers } = require('./containers');
const { Creatures } = require('./creatures');
const { Hands } = require('./hands');
const { Judge } = require('./judge');
const { Player } = require('./player');
const { World } = require('./world');

const TICK_MS = 50;
const DAY_TICKS = 24000;
const MORNING = 1000;
const OPERATOR = 28; // entity status: all commands are allowed

class Survival {
  /** `options`: world, view, gameMode, seed. */
  constructor (options, journal) {
    this.options = options;
    this.journal = journal;
    this.world = new World(options.world);
    this.players = [];
    this.containers = new Containers(this.world);
    this.creatures = new Creatures(this);
    this.judge = new Judge(this.world, journal);
    this.hands = new Hands(this);
    this.ticks = 0;
    this.dayTime = MORNING;
    this.lastId = 100;
    this.randomState = options.seed;
    this.world.on('change', (location, type) => this.broadcast('block_change', { location, type }));
  }

  start () {
    this.due = Date.now() + TICK_MS;
    this.timer = setTimeout(() => this.turn(), TICK_MS);
  }

  /** A late tick is made up for, unless it is very late. */
  turn () {
    this.tick();
    this.due = Math.max(this.due + TICK_MS, Date.now() - 10 * TICK_MS);
    this.timer = setTimeout(() => this.turn(), Math.max(0, this.due - Date.now()));
  }

  tick () {
    this.ticks += 1;
    this.dayTime = (this.dayTime + 1) % DAY_TICKS;
    if (this.ticks % 20 === 0) this.sendTime();
    this.containers.tick(container => this.players.forEach(player => player.menus.refresh(container)));
    this.creatures.tick();
    for (const player of this.players) {
      player.tick();
      this.sendAcknowledgement(player);
    }
  }

  nextId () {
    this.lastId += 1;
    return this.lastId;
  }

  /** 0 to 1; the same numbers in every run (mulberry32). */
  random () {
    this.randomState = (this.randomState + 0x6d2b79f5) | 0;
    let t = Math.imul(this.randomState ^ (this.randomState >>> 15), 1 | this.randomState);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 0x100000000;
  }

  viewDistanceFor (client) {
    const wanted = client.wantedViewDistance || this.options.view;
    return Math.max(2, Math.min(wanted, this.options.view));
  }

  // --- telling everybody -----------------------------------------------------------------------------------

  broadcast (name, fields, except = null) {
    for (const player of this.players) if (player !== except) player.client.write(name, fields);
  }

  say (words) {
    this.broadcast('system_chat', { content: text(words), isActionBar: false });
  }

  sendTime (clients = this.players.map(player => player.client)) {
    for (const client of clients) {
      client.write('update_time', { age: BigInt(this.ticks), time: BigInt(this.dayTime) });
    }
  }

  showMove (player) {
    const { id, position, yaw, pitch, onGround } = player;
    const { x, y, z } = position;
    const fields = { entityId: id, x, y, z, yaw: angle(yaw), pitch: angle(pitch), onGround };
    this.broadcast('entity_teleport', fields, player);
  }

  // --- coming and going ------------------------------------------------------------------------------------

  join (client) {
    const player = new Player(this, client, this.nextId());
    this.welcome(player);
    this.players.push(player);
    this.introduce(player);
    player.teleportTo(player.position, 0, 0);
    player.menus.sync();
    player.sendVitals();
    this.listen(player);
    this.say(`${player.name} joined`);
    this.journal.event('joined', { who: player.name, view: player.view.distance });
    client.on('end', () => this.leave(player));
  }

  /** What comes before the first teleport, in vanilla's order. */
  welcome (player) {
    const { client } = player;
    const { view } = this.options;
    client.write('login', {
      ...registry.loginPacket,
      entityId: player.id,
      maxPlayers: 50,
      viewDistance: view,
      simulationDistance: view,
      enforcesSecureChat: false,
      worldState: player.spawnInfo()
    });
    client.write('custom_payload', { channel: 'minecraft:brand', data: brand('numen-test') });
    client.write('difficulty', { difficulty: 2, difficultyLocked: false });
    player.sendAbilities();
    client.write('held_item_slot', { slot: 0 });
    client.write('entity_status', { entityId: player.id, entityStatus: OPERATOR });
    client.write('experience', { experienceBar: 0, level: 0, totalExperience: 0 });
    client.write('spawn_position', { location: this.world.spawn.floored(), angle: 0 });
    client.write('game_state_change', { reason: 'level_chunks_load_start', gameMode: 0 });
    this.sendTime([client]);
  }

  /** Everybody learns of the new player, and it of everybody. */
  introduce (player) {
    for (const other of this.players) {
      player.client.write('player_info', listing(other));
      if (other === player) continue;
      other.client.write('player_info', listing(player));
      showPlayer(other, player.client);
      showPlayer(player, other.client);
    }
    for (const creature of this.creatures.all.values()) this.creatures.show(creature, player.client);
  }

  leave (player) {
    this.players = this.players.filter(other => other !== player);
    this.broadcast('player_remove', { players: [player.uuid] });
    this.broadcast('entity_destroy', { entityIds: [player.id] });
    this.journal.event('left', { who: player.name, violations: player.violations });
  }

  // --- what players send -----------------------------------------------------------------------------------

  listen (player) {
    const { client } = player;
    const { hands } = this;
    const place = ({ x, y, z }) => new Vec3(x, y, z);
    const look = ({ yaw, pitch }) => { [player.yaw, player.pitch] = [yaw, pitch]; };
    const chat = line => {
      if (line.startsWith('/')) runCommand(this, player, line.slice(1));
      else this.say(`<${player.name}> ${line}`);
    };
    const handlers = {
      teleport_confirm: ({ teleportId }) => this.confirm(player, teleportId),
      position: packet => player.moveTo(place(packet), packet.onGround),
      position_look: packet => {
        if (!player.teleport) look(packet);
        player.moveTo(place(packet), packet.onGround);
      },
      look: packet => {
        look(packet);
        this.showMove(player);
      },
      flying: ({ onGround }) => player.moveTo(player.position, onGround),
      chunk_batch_received: ({ chunksPerTick }) => {
        player.view.acknowledged(chunksPerTick);
        const { complete, sent } = player.view;
        if (complete) this.journal.event('view_complete', { who: player.name, chunks: sent.size });
      },
      held_item_slot: ({ slotId }) => this.hold(player, slotId),
      entity_action: ({ actionId }) => this.act(player, actionId),
      block_dig: packet => hands.onDig(player, packet),
      block_place: packet => hands.onPlace(player, packet),
      use_item: packet => hands.onUse(player, packet),
      use_entity: packet => hands.onUseEntity(player, packet),
      arm_animation: ({ hand }) => {
        this.broadcast('animation', { entityId: player.id, animation: hand === 1 ? 3 : 0 }, player);
      },
      window_click: packet => player.menus.click(packet),
      close_window: () => player.menus.close(),
      set_creative_slot: ({ slot, item }) => {
        if (player.gameMode === 'creative' && slot >= 0) player.menus.put(slot, Item.fromNotch(item));
      },
      client_command: ({ actionId }) => {
        if (actionId === 'perform_respawn' || actionId === 0) player.respawn();
      },
      chat_message: ({ message }) => chat(message),
      chat_command: ({ command }) => runCommand(this, player, command),
      chat_command_signed: ({ command }) => runCommand(this, player, command)
    };
    for (const [name, handler] of Object.entries(handlers)) client.on(name, handler);
  }

  confirm (player, number) {
    if (!this.judge.teleportConfirm(player, number)) return;
    player.teleport = null;
    player.confirmed = true;
  }

  hold (player, slot) {
    if (slot < 0 || slot > 8) return;
    player.heldSlot = slot;
    player.attackedAt = Date.now();
  }

  act (player, action) {
    if (action === 'start_sneaking' || action === 0) player.sneaking = true;
    if (action === 'stop_sneaking' || action === 1) player.sneaking = false;
    if (action === 'start_sprinting' || action === 3) player.sprinting = true;
    if (action === 'stop_sprinting' || action === 4) player.sprinting = false;
  }

  /** Sequence numbers are acknowledged together, at the end of the tick. */
  acknowledge (player, sequence) {
    player.sequence = Math.max(player.sequence, sequence);
  }

  sendAcknowledgement (player) {
    if (player.sequence < 0) return;
    player.client.write('acknowledge_player_digging', { sequenceId: player.sequence });
    player.sequence = -1;
  }
}

/** The wire's angles: 256 to the circle, signed. */
function angle (degrees) {
  return (Math.round(degrees * 256 / 360) << 24) >> 24;
}

function brand (name) {
  return Buffer.concat([Buffer.from([name.length]), Buffer.from(name)]);
}

function listing (player) {
  return {
    action: { _value: 0, add_player: true, update_game_mode: true, update_listed: true, update_latency: true },
    data: [{
      uuid: player.uuid,
      player: { name: player.name, properties: [] },
      gamemode: GAME_MODES.indexOf(player.gameMode),
      listed: 1,
      latency: 10
    }]
  };
}

function showPlayer (player, client) {
  const { x, y, z } = player.position;
  client.write('spawn_entity', {
    entityId: player.id,
    objectUUID: player.uuid,
    type: registry.entitiesByName.player.id,
    x, y, z,
    pitch: 0, yaw: 0, headPitch: 0, objectData: 0,
    velocity: { x: 0, y: 0, z: 0 }
  });
}

module.exports = { Survival };
