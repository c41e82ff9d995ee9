'use strict';
// flying-squid, a server by other people still: node flying_squid.js --port 0 --generator superflat
//
// It sends one malformed sound_effect, teleport id 1 every time, no chunk batches and empty height maps. A client
// has to cope. Prints `listening 127.0.0.1:PORT` like server.js.

const { load } = require('./packages');
const { readOptions } = require('./options');

const DEFAULTS = { port: 0, generator: 'superflat', seed: 1, gamemode: 0, view: 10 };

function main () {
  const { port, generator, seed, gamemode, view } = readOptions(process.argv.slice(2), DEFAULTS);
  const server = load('flying-squid').createMCServer({
    host: '127.0.0.1',
    port,
    version: '1.21.1',
    motd: 'flying-squid',
    'online-mode': false,
    'max-players': 20,
    'player-list-text': { header: { text: '' }, footer: { text: '' } },
    'view-distance': view,
    'everybody-op': true,
    'max-entities': 100,
    gameMode: gamemode,
    difficulty: 1,
    generation: { name: generator, options: { worldHeight: 80, seed } },
    kickTimeout: 10000,
    logging: false,
    plugins: {},
    modpe: false
  });
  server.on('error', error => console.error(error.message));
  server.on('listening', () => console.log(`listening 127.0.0.1:${server._server.socketServer.address().port}`));
}

main();
