'use strict';
// NeoForge's half of configuration for wire.js: negotiation, then one task after the other, each waiting for its
// answer. Payloads are written byte by byte.

const assert = require('assert');

const varint = value => {
  const bytes = [];
  for (; value > 127; value >>>= 7) bytes.push((value & 127) | 128);
  return Buffer.from([...bytes, value]);
};
const string = value => Buffer.concat([varint(Buffer.byteLength(value)), Buffer.from(value)]);
const list = items => Buffer.concat([varint(items.length), ...items]);
const i64 = value => { const b = Buffer.alloc(8); b.writeBigInt64BE(BigInt(value)); return b; };
const component = value => {
  const size = Buffer.alloc(2);
  size.writeUInt16BE(Buffer.byteLength(value));
  return Buffer.concat([Buffer.from([8]), size, Buffer.from(value)]);
};

/** A cursor over the body of neoforge:register: protocol -> [{ id, version, flow, optional }]. */
function readRegister (data) {
  let at = 0;
  const number = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = data[at++];
      value |= (byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  const read = () => { const size = number(); at += size; return data.toString('utf8', at - size, at); };
  const channel = () => ({
    id: read(), version: read(), flow: data[at++] ? number() : null, optional: Boolean(data[at++])
  });
  const many = one => Array.from({ length: number() }, one);
  const found = Object.fromEntries(many(() => [number(), many(channel)]));
  assert.strictEqual(at, data.length);
  return found;
}

const FLOWS = { serverbound: 0, clientbound: 1, both: null };
const CONFIGURATION = 4;
const PLAY = 1;
const NEEDED = ['frozen_registry_sync_completed', 'known_registry_data_maps_reply', 'extensible_enum_ack',
  'feature_flags_ack', 'split'];

async function negotiate (player) {
  const declared = readRegister(await player.nextPayload('neoforge:register'));
  const ours = Object.fromEntries(declared[CONFIGURATION].map(each => [each.id, each]));
  for (const name of NEEDED) assert(ours[`neoforge:${name}`].optional, name);
  // `id/version/flow` of a channel of a mod that every player must have
  for (const line of player.options.required.split(',').filter(Boolean)) {
    const [id, version, flow] = line.split('/');
    const found = declared[PLAY].find(each => each.id === id);
    if (found && found.version === version && found.flow === FLOWS[flow]) continue;
    const problem = found ? 'version.mismatch' : 'missing.server.client';
    const reason = component(`neoforge.network.negotiation.failure.${problem}`);
    player.payload('neoforge:modded_network_setup_failed', list([Buffer.concat([string(id), reason])]));
    const key = { type: 'string', value: 'multiplayer.disconnect.incompatible' };
    const args = { type: 'list', value: { type: 'string', value: ['NeoForge 21.1.241'] } };
    player.send('disconnect', { reason: { type: 'compound', value: { translate: key, with: args } } });
    player.client.end('incompatible');
    return false;
  }
  const agreed = number => Buffer.concat([varint(number), list(declared[number].map(each => Buffer.concat(
    [string(each.id), string(each.id), string(each.version)]
  )))]);
  player.payload('neoforge:network', list([agreed(CONFIGURATION), agreed(PLAY)]));
  player.payload('minecraft:register', Buffer.from('neoforge:frozen_registry\0neoforge:split\0'));
  return true;
}

async function configure (player) {
  player.payload('minecraft:unregister');
  player.payload('minecraft:register', Buffer.from('minecraft:register\0neoforge:register\0c:version\0c:register\0'));
  player.payload('neoforge:register', Buffer.from([0]));
  player.send('ping', { id: 0 });
  if (!await negotiate(player)) return new Promise(() => {});
  await player.next('pong');
  const order = player.order.filter(each => each === 'pong' || each === 'neoforge:register');
  assert.deepStrictEqual(order.slice(-2), ['neoforge:register', 'pong']);

  const registries = ['minecraft:item', 'minecraft:block'];
  player.payload('neoforge:frozen_registry_sync_start', list(registries.map(string)));
  for (const name of registries) {
    const entries = [[0, 'minecraft:air'], [1, 'minecraft:stone'], [20000, 'create:cogwheel']];
    const ids = list(entries.map(([id, entry]) => Buffer.concat([varint(id), string(entry)])));
    player.payload('neoforge:frozen_registry', Buffer.concat([string(name), ids, list([])]));
  }
  player.payload('neoforge:frozen_registry_sync_completed');
  assert.strictEqual((await player.nextPayload('neoforge:frozen_registry_sync_completed')).length, 0);

  const maps = list([Buffer.concat([string('neoforge:furnace_fuels'), Buffer.from([0])])]);
  player.payload('neoforge:known_registry_data_maps', list([Buffer.concat([string('minecraft:item'), maps])]));
  const reply = await player.nextPayload('neoforge:known_registry_data_maps_reply');
  assert(reply.equals(list([Buffer.concat([string('minecraft:item'), list([string('neoforge:furnace_fuels')])])])));

  const check = Buffer.concat([string('net.minecraft.world.item.Rarity'), string('BIDIRECTIONAL'), Buffer.from([0])]);
  player.payload('neoforge:extensible_enum_data', list([check]));
  assert.strictEqual((await player.nextPayload('neoforge:extensible_enum_ack')).length, 0);
  player.payload('neoforge:feature_flags', list([string('create:steam')]));
  assert.strictEqual((await player.nextPayload('neoforge:feature_flags_ack')).length, 0);
  player.note('tasks done');
}

/** Send one packet of play in three pieces. */
function split (player, packet) {
  const third = Math.ceil(packet.length / 3);
  [1, 0, 2].forEach((place, turn) => {
    const piece = Buffer.concat([Buffer.from([place]), packet.subarray(turn * third, (turn + 1) * third)]);
    player.payload('neoforge:split', Buffer.concat([varint(piece.length), piece]));
  });
}

async function play (player) {
  // what a server of this kind says first in play
  player.payload('minecraft:unregister', Buffer.from('neoforge:register\0'));
  player.payload('minecraft:register', Buffer.from('minecraft:register\0neoforge:register\0'));
  const rest = Buffer.from([1, 0x3f, 0, 0, 0, 0xbf, 0x80, 0, 0]);
  player.payload('neoforge:custom_time_packet', Buffer.concat([varint(24000), varint(6000), rest]));
  player.send('bundle_delimiter');
  player.payload('neoforge:advanced_open_screen',
    Buffer.concat([varint(3), varint(40), component('Basin'), string('anything')]));
  player.payload('neoforge:advanced_container_set_data', Buffer.concat([Buffer.from([3, 0, 1]), varint(70000)]));
  player.send('bundle_delimiter');
  // update_time, id 0x64
  split(player, Buffer.concat([Buffer.from([0x64]), i64(48000), i64(12000)]));
  player.payload('create:unheard_of', Buffer.from([1, 2, 3]));
  player.send('keep_alive', { keepAliveId: [0, 5] });
  await player.next('keep_alive');
}

module.exports = { script: { configure, play } };
