'use strict';
// A small survival server for 1.21.1 that shares no code with Numen: minecraft-protocol speaks, prismarine's
// packages know the game. It does what a client test needs and watches what the client does.
//
//   node server.js --port 0 --world flat|hills|maze|palette --threshold 256|64|0|-1 --encrypt 0|1
//                  --view 10 --min-pace 0.01 --gamemode survival --log FILE --drop-after MS
//
// Prints `listening 127.0.0.1:PORT` once it does; port 0 picks a free one. The log has one JSON object a line:
// every packet of a client, every `event`, and a `judge` line for everything a client must not do:
//
//   moved_too_quickly fast_step high_jump inside_block false_ground false_air too_many_moves
//   dig_too_fast dig_reach place_reach attack_reach attack_bad_target
//   bad_teleport_confirm click_wrong_window click_unsupported resync
//
// `--drop-after MS` breaks the first player's connection, without a word, so long after it joined; `/kickme` in
// the chat sends the player away properly and `/dropme` does not. See commands.js for the other commands.

const { load } = require('./packages');
const { Journal } = require('./journal');
const { answerForSessionServer, encryptOnly, withThreshold } = require('./login');
const { readOptions } = require('./options');
const { Survival } = require('./survival');
const { VERSION } = require('./tables');

const DEFAULTS = {
  port: 0,
  world: 'flat',
  threshold: 256,
  encrypt: 0,
  view: 10,
  minPace: 0.01,
  gamemode: 'survival',
  seed: 1,
  log: '',
  dropAfter: 0
};

function main () {
  const options = readOptions(process.argv.slice(2), DEFAULTS);
  const journal = new Journal(options.log);
  const game = new Survival({ ...options, gameMode: options.gamemode }, journal);
  if (options.encrypt) answerForSessionServer();
  const server = load('minecraft-protocol').createServer({
    host: '127.0.0.1',
    port: options.port,
    version: VERSION,
    motd: `numen test server, ${options.world}`,
    maxPlayers: 50,
    'online-mode': Boolean(options.encrypt),
    enforceSecureProfile: false,
    hideErrors: true,
    kickTimeout: 30000,
    checkTimeoutInterval: 5000,
    beforePing: answer => withSample(answer, game),
    beforeLogin: withThreshold(options.threshold)
  });
  server.on('connection', client => {
    if (options.encrypt) encryptOnly(client);
    client.on('packet', (data, meta, buffer) => journal.packet(client, data, meta, buffer));
    client.on('settings', settings => { client.wantedViewDistance = settings.viewDistance; });
    client.on('error', error => journal.write({ error: error.message }));
  });
  let toBreak = options.dropAfter;
  server.on('playerJoin', client => {
    game.join(client);
    if (toBreak) setTimeout(() => client.socket.destroy(), toBreak);
    toBreak = 0;
  });
  server.on('error', error => {
    console.error(error.message);
    process.exit(1);
  });
  server.on('listening', () => {
    console.log(`listening 127.0.0.1:${server.socketServer.address().port}`);
    game.start();
  });
}

function withSample (answer, game) {
  answer.players.sample = game.players.map(player => ({ name: player.name, id: player.uuid }));
  return answer;
}

main();
