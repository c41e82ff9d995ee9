'use strict';
// A mineflayer bot lives its first minutes on the practice server: node sandbox_probe.js PORT [NAME]
// Prints one JSON line a step: {"step", "ok", "ms", "result"}; the last step is "end".

const { load } = require('./packages');
const mineflayer = load('mineflayer');
const { pathfinder, Movements, goals } = load('mineflayer-pathfinder');
const { Vec3 } = load('vec3');

const port = Number(process.argv[2]);
const name = process.argv[3] || 'Probe';
const bot = mineflayer.createBot({ host: '127.0.0.1', port, username: name, auth: 'offline', version: '1.21.1' });
bot.loadPlugin(pathfinder);

let failed = 0;
let pulledBack = 0;
const say = (line) => console.log(JSON.stringify(line));
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const count = (item) => bot.inventory.items().filter((i) => i.name === item).reduce((n, i) => n + i.count, 0);
const held = () => bot.inventory.items().map((i) => `${i.count} ${i.name}`).sort().join(', ');

bot.on('forcedMove', () => { pulledBack++; });
bot.on('kicked', (reason) => say({ step: 'kicked', ok: false, result: JSON.stringify(reason) }));
bot.on('error', (error) => say({ step: 'error', ok: false, result: String(error.message).split('\n')[0] }));

async function until (what, condition, limit = 5000) {
  const end = Date.now() + limit;
  while (Date.now() < end) {
    const found = condition();
    if (found) return found;
    await sleep(50);
  }
  throw new Error(`timed out waiting for ${what}; I have ${held()}`);
}

async function step (title, action, limit = 20000) {
  const began = Date.now();
  try {
    const late = new Promise((resolve, reject) => setTimeout(() => reject(new Error(`took over ${limit} ms`)), limit));
    const result = await Promise.race([action(), late]);
    say({ step: title, ok: true, ms: Date.now() - began, result });
  } catch (error) {
    failed++;
    say({ step: title, ok: false, ms: Date.now() - began, result: String(error.message).split('\n')[0] });
  }
}

const near = (position, range) => bot.pathfinder.goto(new goals.GoalNear(position.x, position.y, position.z, range));

const SIDES = [[1, 0, 0], [-1, 0, 0], [0, 0, 1], [0, 0, -1], [0, 1, 0]];

/** The nearest block of these names that has a free side. */
function block (...names) {
  const found = bot.findBlocks({ matching: (b) => names.includes(b.name), maxDistance: 40, count: 400 });
  const open = found.find((at) => SIDES.some(([x, y, z]) => bot.blockAt(at.offset(x, y, z))?.name === 'air'));
  return open && bot.blockAt(open);
}

async function dig (target) {
  const before = target.name;
  await bot.dig(target);
  await until('the block to be gone', () => bot.blockAt(target.position).name !== before);
}

async function gather (item, amount, ...blocks) {
  for (let tries = 0; tries < 30 && count(item) < amount; tries++) {
    const target = block(...blocks);
    if (!target) throw new Error(`no ${blocks.join(' or ')} in sight`);
    await bot.pathfinder.goto(new goals.GoalLookAtBlock(target.position, bot.world, { reach: 4 }));
    const tool = bot.pathfinder.bestHarvestTool(target);
    if (tool) await bot.equip(tool, 'hand');
    const had = count(item);
    await dig(target);
    await sleep(700);
    const drop = bot.nearestEntity((e) => e.name === 'item' && e.position.distanceTo(target.position) < 8);
    if (drop && count(item) === had) await near(drop.position, 0).catch(() => {});
    await until(`a ${item} in my pockets`, () => count(item) > had, 1500).catch(() => {});
  }
  if (count(item) < amount) throw new Error(`only ${count(item)} ${item}`);
  return `${count(item)} ${item}`;
}

async function craft (item, amount, table) {
  const id = bot.registry.itemsByName[item].id;
  const had = count(item);
  const recipe = bot.recipesFor(id, null, 1, table)[0];
  if (!recipe) throw new Error(`no recipe for ${item} with ${held()}`);
  await bot.craft(recipe, amount, table);
  await until(`${item} made`, () => count(item) > had);
  return held();
}

async function put (item) {
  await bot.equip(bot.inventory.items().find((i) => i.name === item), 'hand');
  const feet = bot.entity.position.floored();
  for (let dx = -2; dx <= 2; dx++) {
    for (let dz = -2; dz <= 2; dz++) {
      for (const dy of [-1, -2, 0]) {
        const ground = bot.blockAt(feet.offset(dx, dy, dz));
        const above = bot.blockAt(feet.offset(dx, dy + 1, dz));
        if (Math.abs(dx) + Math.abs(dz) < 2 || ground.boundingBox !== 'block' || above.name !== 'air') continue;
        await bot.placeBlock(ground, new Vec3(0, 1, 0));
        const placed = bot.blockAt(above.position);
        if (placed.name !== item) throw new Error(`${placed.name} where ${item} should be`);
        return placed;
      }
    }
  }
  throw new Error(`no room for ${item}`);
}

async function command (line, done, what) {
  bot.chat(line);
  return until(what, done);
}

async function play () {
  const moves = new Movements(bot);
  moves.allow1by1towers = false;
  moves.canDig = false;
  bot.pathfinder.setMovements(moves);
  let table;

  await step('columns', async () => {
    await bot.waitForChunksToLoad();
    return Object.keys(bot.world.async.columns).length;
  });
  await step('stand', async () => {
    await sleep(500);
    if (!bot.entity.onGround) throw new Error('I am not on the ground');
    return bot.entity.position.toString();
  });
  await step('chat', async () => {
    const heard = new Promise((resolve) => bot.once('chat', (who, text) => resolve(`${who}: ${text}`)));
    bot.chat('hello');
    return heard;
  }, 5000);
  await step('walk', async () => {
    const from = bot.entity.position.clone();
    bot.setControlState('forward', true);
    bot.setControlState('sprint', true);
    bot.setControlState('jump', true);
    await sleep(1200);
    bot.clearControlStates();
    await sleep(400);
    const far = from.distanceTo(bot.entity.position);
    if (far < 1) throw new Error(`moved only ${far}`);
    return Number(far.toFixed(2));
  });
  await step('wood', () => gather('oak_log', 3, 'oak_log'), 90000);
  await step('planks', () => craft('oak_planks', 3));
  await step('table', () => craft('crafting_table', 1));
  await step('place', async () => {
    table = await put('crafting_table');
    return table.position.toString();
  });
  await step('sticks', () => craft('stick', 1));
  await step('pickaxe', () => craft('wooden_pickaxe', 1, table));
  await step('stone', () => gather('cobblestone', 2, 'stone'), 90000);
  await step('wear', async () => {
    const tool = bot.inventory.items().find((i) => i.name === 'wooden_pickaxe');
    if (!tool || !(tool.durabilityUsed > 0)) throw new Error('the pickaxe shows no wear');
    return tool.durabilityUsed;
  });
  await step('furnace', async () => {
    await command(`/give ${name} furnace`, () => count('furnace'), 'a furnace');
    await command(`/give ${name} coal 2`, () => count('coal'), 'coal');
    const furnace = await bot.openFurnace(await put('furnace'));
    const id = (item) => bot.registry.itemsByName[item].id;
    await furnace.putFuel(id('coal'), null, 1);
    await furnace.putInput(id('cobblestone'), null, 1);
    const made = await until('stone in the furnace', () => furnace.outputItem(), 14000);
    await furnace.takeOutput();
    furnace.close();
    return `${made.count} ${made.name}`;
  });
  await step('chest', async () => {
    await command(`/give ${name} chest`, () => count('chest'), 'a chest');
    const chest = await bot.openContainer(await put('chest'));
    const stick = bot.registry.itemsByName.stick.id;
    await chest.deposit(stick, null, 1);
    const inside = chest.containerItems().map((i) => i.name).join();
    await chest.withdraw(stick, null, 1);
    chest.close();
    return inside;
  });
  await step('fight', async () => {
    await command(`/give ${name} stone_sword`, () => count('stone_sword'), 'a sword');
    await bot.equip(bot.inventory.items().find((i) => i.name === 'stone_sword'), 'hand');
    bot.chat('/summon pig');
    const pig = await until('a pig', () => bot.nearestEntity((e) => e.name === 'pig'));
    let dead = false;
    bot.on('entityDead', (e) => { dead = dead || e === pig; });
    for (let blows = 0; blows < 20 && !dead && pig.isValid; blows++) {
      if (pig.position.distanceTo(bot.entity.position) > 2.5) await near(pig.position, 2).catch(() => {});
      await bot.lookAt(pig.position.offset(0, 0.5, 0), true);
      bot.attack(pig);
      await sleep(650);
    }
    await until('the pig to die', () => dead);
    return 'dead';
  }, 40000);
  await step('eat', async () => {
    bot.chat(`/give ${name} golden_apple`);
    await until('an apple', () => count('golden_apple'));
    await bot.equip(bot.inventory.items().find((i) => i.name === 'golden_apple'), 'hand');
    await bot.consume();
    if (count('golden_apple')) throw new Error('the apple is still there');
    return bot.food;
  });
  await step('cheat', async () => {
    const before = pulledBack;
    const p = bot.entity.position;
    bot.physicsEnabled = false;
    bot._client.write('position', { x: p.x + 40, y: p.y, z: p.z, onGround: true, flags: { onGround: true } });
    await until('being put back', () => pulledBack > before, 3000);
    bot.physicsEnabled = true;
    return 'put back';
  });
  await step('death', async () => {
    const reborn = new Promise((resolve) => bot.once('spawn', resolve));
    bot.chat('/kill');
    await new Promise((resolve) => bot.once('death', resolve));
    await reborn;
    await sleep(500);
    if (bot.health !== 20) throw new Error(`health ${bot.health}`);
    return held();
  }, 10000);
}

bot.once('spawn', async () => {
  await step('login', async () => `${bot.game.gameMode} in ${bot.game.dimension}`);
  await play().catch((error) => { failed++; say({ step: 'play', ok: false, result: String(error.stack) }); });
  say({ step: 'end', ok: failed === 0, result: failed });
  bot.quit();
  setTimeout(() => process.exit(failed ? 1 : 0), 300);
});
setTimeout(() => { say({ step: 'end', ok: false, result: 'the whole took too long' }); process.exit(3); }, 240000);
