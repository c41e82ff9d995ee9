'use strict';
// Flat ground for wire.js, enough for a body to walk on: chunks around the spawn, a place, health.

const { registry } = require('./tables');
const { World } = require('./world');

const RADIUS = 3; // chunks to each side
const SURVIVAL = 0;

const world = new World('flat');

/** The login packet of a player who comes into this world. */
function login (script, entityId = 1) {
  const { dimensionCodec, ...fields } = registry.loginPacket;
  const worldState = { ...fields.worldState, gamemode: 'survival', death: undefined };
  return { ...fields, entityId, viewDistance: RADIUS, enforcesSecureChat: Boolean(script.enforced), worldState };
}

/** What comes after login or respawn. The client has to confirm `teleportId` before it may move. */
function arrive (player, teleportId, position = world.spawn) {
  const { x, y, z } = position;
  const [chunkX, chunkZ] = [Math.floor(x) >> 4, Math.floor(z) >> 4];
  player.send('abilities', { flags: SURVIVAL, flyingSpeed: 0.05, walkingSpeed: 0.1 });
  player.send('update_view_position', { chunkX, chunkZ });
  player.send('game_state_change', { reason: 'level_chunks_load_start', gameMode: 0 });
  player.send('chunk_batch_start');
  for (let dx = -RADIUS; dx <= RADIUS; dx++) {
    for (let dz = -RADIUS; dz <= RADIUS; dz++) {
      player.send('map_chunk', world.chunkPacket(chunkX + dx, chunkZ + dz));
    }
  }
  player.send('chunk_batch_finished', { batchSize: (2 * RADIUS + 1) ** 2 });
  player.send('position', { x, y, z, yaw: 0, pitch: 0, flags: { _value: 0 }, teleportId });
  player.send('update_health', { health: 20, food: 20, foodSaturation: 5 });
}

module.exports = { arrive, login, world };
