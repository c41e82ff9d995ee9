'use strict';
// Scripts for wire.js in which a body walks on the ground: what a server may do to it in the middle of a step.

const assert = require('assert');
const { text } = require('./tables');
const ground = require('./ground');
const { chat } = require('./wire_scripts');

/** Packets with which a body says where it is. */
const MOVES = new Set(['position', 'position_look', 'look', 'flying']);
const HARMLESS = new Set(['client_command', 'settings', 'chunk_batch_received', 'custom_payload', 'tick_end']);

/** A pig at a place. */
function pig (player, entityId, x, z) {
  player.send('spawn_entity', {
    entityId, objectUUID: `00000000-0000-0000-0000-${String(entityId).padStart(12, '0')}`, type: 77,
    x, y: ground.world.spawn.y, z, pitch: 0, yaw: 0, headPitch: 0, objectData: 0, velocity: { x: 0, y: 0, z: 0 }
  });
}

/** Names of what the player has sent since a mark in `order`, without what says nothing. */
function since (player, mark) {
  return player.order.slice(mark).filter(name => !HARMLESS.has(name));
}

/** Off to configuration while the body walks, and back in another place. */
const midWalk = {
  async play (player) {
    await player.stands();
    player.note('stands');
    await player.walked(3);
    pig(player, 7, 3, 3);
    player.send('start_configuration');
    await player.next('configuration_acknowledged');
    const mark = player.order.length;
    await player.configure();
    // in configuration it only ever answers
    assert.deepStrictEqual(since(player, mark), ['select_known_packs', 'finish_configuration']);
    player.teleports += 1;
    player.send('login', ground.login({}, player.teleports));
    // in play again, and nowhere yet: whoever does not know where it is keeps still
    player.send('ping', { id: 5 });
    await player.next('pong', data => data.id === 5);
    assert(!player.order.slice(mark).some(name => MOVES.has(name)), player.order.slice(mark).join());
    ground.arrive(player, player.teleports, ground.world.spawn.offset(0, 0, 32));
    await player.stands();
    const first = player.order.slice(mark).findIndex(name => MOVES.has(name));
    assert.strictEqual(player.order.slice(mark)[first - 1], 'teleport_confirm');
    player.note('back');
    await player.walked(5);
  }
};

/** What a proxy does that hides the switch: login and respawn, with all data kept, or with none. */
function backendSwitch (copyMetadata) {
  return {
    async play (player) {
      await player.stands();
      const entityId = player.teleports;
      player.send('entity_update_attributes', {
        entityId,
        properties: [{
          key: 'generic.movement_speed',
          value: 0.1,
          modifiers: [{ uuid: 'minecraft:test', amount: 0.5, operation: 2 }]
        }]
      });
      player.send('entity_metadata', { entityId, metadata: [{ key: 9, type: 'float', value: 20 }, { key: 1, type: 'int', value: 250 }] });
      player.send('entity_effect', { entityId, effectId: 0, amplifier: 1, duration: 6000, flags: 0 });
      pig(player, 7, 3, 3);
      player.send('open_window', { windowId: 4, inventoryType: 2, windowTitle: text('Chest') });
      player.send('ping', { id: 1 });
      await player.next('pong', data => data.id === 1);
      player.note('before');
      await player.next('arm_animation');
      await player.reconfigure();
      const { worldState } = ground.login({});
      const away = { ...worldState, name: 'minecraft:the_nether', dimension: 3 };
      player.send('respawn', { worldState: away, copyMetadata });
      player.send('respawn', { worldState, copyMetadata });
      player.teleports += 1;
      ground.arrive(player, player.teleports);
      await player.stands();
      player.note('after');
      await player.walked(3);
    }
  };
}

/** Respawns alone, between two worlds of one server. */
function respawnKeeping (copyMetadata) {
  const script = backendSwitch(copyMetadata);
  return {
    play: player => {
      player.reconfigure = async () => {};
      return script.play(player);
    }
  };
}

/** Ten thousand packets about entities in one go, while the body walks. */
const burst = {
  async play (player) {
    await player.stands();
    player.note('stands');
    await player.walked(2);
    for (let i = 0; i < 50; i++) pig(player, 100 + i, i % 10, i / 10);
    for (let turn = 0; turn < 10000; turn++) {
      const entityId = 100 + turn % 50;
      const kind = turn % 4;
      if (kind === 0) player.send('rel_entity_move', { entityId, dX: 41, dY: 0, dZ: -41, onGround: true });
      if (kind === 1) player.send('entity_velocity', { entityId, velocity: { x: 10, y: 0, z: 10 } });
      if (kind === 2) player.send('entity_head_rotation', { entityId, headYaw: turn % 128 });
      if (kind === 3) {
        player.send('entity_move_look', { entityId, dX: 1, dY: 0, dZ: 1, yaw: 5, pitch: 5, onGround: true });
      }
    }
    player.send('ping', { id: 9 });
    player.send('keep_alive', { keepAliveId: [0, 9] });
    await player.next('pong', data => data.id === 9);
    await player.next('keep_alive');
    player.note('burst');
    await player.walked(6);
  }
};

/** One packet that nobody can read, each second, of a kind that a client can do without. */
const malformed = {
  async play (player) {
    await player.stands();
    player.note('stands');
    const kinds = [
      [0x58, [1, 9, 3]], // entity_metadata that ends in an entry
      [0x45, [1, 255, 255]], // remove_resource_pack with half a UUID
      [0x11, [255, 255, 255, 127]], // declare_commands of more nodes than bytes
      [0x7f, [1, 2, 3]] // no packet at all
    ];
    for (const [id, body] of kinds) {
      player.client.writeRaw(Buffer.from([id, ...body]));
      player.send('keep_alive', { keepAliveId: [0, id] });
      await player.next('keep_alive');
      await new Promise(resolve => setTimeout(resolve, 1000));
    }
    player.note('malformed');
    await player.walked(4);
  }
};

/** On to another server, with a cookie, while the body walks. */
const transferWalking = {
  async play (player) {
    await player.stands();
    player.note('stands');
    await player.walked(3);
    player.send('store_cookie', { key: 'yard:from', value: Buffer.from('here') });
    player.send('transfer', { host: '127.0.0.1', port: player.options.to });
  }
};

/** Every signature is checked while the body walks. */
const chatWalking = {
  ...chat,
  async play (player) {
    await player.stands();
    await player.next('arm_animation');
    await chat.play(player);
  }
};

/** Nothing more is said. */
const silence = {
  async play (player) {
    await player.stands();
    player.note('stands');
    await new Promise(() => {});
  }
};

module.exports = {
  midWalk,
  switchKept: backendSwitch(3),
  switchDropped: backendSwitch(0),
  respawnKept: respawnKeeping(3),
  respawnDropped: respawnKeeping(0),
  burst,
  malformed,
  transferWalking,
  chatWalking,
  silence
};
