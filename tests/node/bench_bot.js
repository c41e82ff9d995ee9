'use strict';
// One mineflayer bot that can find paths and stands still: node bench_bot.js PORT NAME. Prints {"event": "spawn"}
// when it is in the world, and stays until it is killed.

const { load } = require('./packages');

const [port, username] = process.argv.slice(2);
const bot = load('mineflayer').createBot({
  host: '127.0.0.1', port: Number(port), username, auth: 'offline', version: '1.21.1', viewDistance: 'far'
});
bot.loadPlugin(load('mineflayer-pathfinder').pathfinder);
const say = line => console.log(JSON.stringify(line));

bot.once('spawn', () => say({ event: 'spawn' }));
bot.on('kicked', reason => say({ event: 'kicked', reason }));
bot.on('error', error => say({ event: 'error', message: error.message }));
