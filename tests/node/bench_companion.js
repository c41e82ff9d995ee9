// One mineflayer bot at view distance 10: when it spawned, and what it weighs once all chunks are there.
// node bench_companion.js PORT   prints one JSON line and leaves.
'use strict';

const started = process.hrtime.bigint();
const milliseconds = () => Number(process.hrtime.bigint() - started) / 1e6;

const mineflayer = require('mineflayer');
const { pathfinder } = require('mineflayer-pathfinder');

const QUIET_MS = 2000;
const IDLE_MS = 5000;

const bot = mineflayer.createBot({
  host: '127.0.0.1', port: Number(process.argv[2]), username: 'peer', auth: 'offline', version: '1.21.1', viewDistance: 'far'
});
bot.loadPlugin(pathfinder);

let spawned = 0;
let chunks = 0;
let last = Date.now();
bot.once('spawn', () => { spawned = milliseconds(); });
bot._client.on('map_chunk', () => { chunks++; last = Date.now(); });
bot.on('error', error => { console.error(error.message); process.exit(1); });

const watch = setInterval(() => {
  if (!spawned || Date.now() - last < QUIET_MS) return;
  clearInterval(watch);
  const before = process.cpuUsage();
  setTimeout(() => {
    const used = process.cpuUsage(before);
    console.log(JSON.stringify({
      // Node itself takes some of the time before the first line of this script runs.
      spawn_ms: spawned + (process.uptime() * 1000 - milliseconds()),
      chunks,
      rss_mb: process.memoryUsage().rss / 1e6,
      idle_percent: (used.user + used.system) / (IDLE_MS * 10)
    }));
    process.exit(0);
  }, IDLE_MS);
}, 200);
