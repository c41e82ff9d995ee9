'use strict';
// Chat commands, all of them open to everybody. A test sets its scene with them.

const { GAME_MODES, Item, Vec3, registry, text } = require('./tables');
const { named } = require('./world');

const TIMES = { day: 1000, noon: 6000, night: 13000, midnight: 18000 };

/** Each gets (game, player, words) and returns what to tell the player. */
const COMMANDS = {
  /** /give [who] ITEM [COUNT] */
  give (game, player, words) {
    const at = named('itemsByName', words[0]) ? 0 : 1;
    const item = named('itemsByName', words[at]);
    if (!item) return `there is no item ${words[at]}`;
    const to = at ? someone(game, words[0]) : player;
    if (!to) return `there is no player ${words[0]}`;
    let left = Number(words[at + 1] || 1);
    const count = left;
    while (left > 0) {
      const part = Math.min(left, item.stackSize);
      if (to.menus.add(new Item(item.id, part))) return 'the inventory is full';
      left -= part;
    }
    return `gave ${count} ${item.name}`;
  },

  /** /tp [who] X Y Z */
  tp (game, player, words) {
    const who = words.length > 3 ? someone(game, words[0]) : player;
    if (!who) return `there is no player ${words[0]}`;
    who.teleportTo(place(player, words.slice(-3)));
    return 'teleported';
  },

  /** /summon KIND [X Y Z] */
  summon (game, player, words) {
    const kind = named('entitiesByName', words[0]);
    if (!kind) return `there is no creature ${words[0]}`;
    const at = words.length >= 4 ? place(player, words.slice(1, 4)) : player.position.offset(2, 0, 0);
    at.y = game.world.floorBelow(at.x, at.y + 2, at.z);
    return `summoned ${game.creatures.summon(kind.name, at).id}`;
  },

  /** /gamemode MODE [who] */
  gamemode (game, player, words) {
    if (!GAME_MODES.includes(words[0])) return `there is no game mode ${words[0]}`;
    (someone(game, words[1]) || player).setGameMode(words[0]);
    return `game mode ${words[0]}`;
  },

  /** /setblock X Y Z BLOCK */
  setblock (game, player, words) {
    const block = named('blocksByName', words[3]);
    if (!block) return `there is no block ${words[3]}`;
    game.world.set(place(player, words.slice(0, 3)).floored(), block.defaultState);
    return `set ${block.name}`;
  },

  /** /fill X Y Z X Y Z BLOCK */
  fill (game, player, words) {
    const block = named('blocksByName', words[6]);
    if (!block) return `there is no block ${words[6]}`;
    const [a, b] = [words.slice(0, 3), words.slice(3, 6)].map(corner => place(player, corner).floored());
    const [low, high] = [a.min(b), a.max(b)];
    for (let x = low.x; x <= high.x; x++) {
      for (let y = low.y; y <= high.y; y++) {
        for (let z = low.z; z <= high.z; z++) game.world.set(new Vec3(x, y, z), block.defaultState);
      }
    }
    return `filled with ${block.name}`;
  },

  /** /time set TICKS|day|noon|night|midnight */
  time (game, player, words) {
    game.dayTime = TIMES[words[1]] ?? Number(words[1]);
    game.sendTime();
    return `time ${game.dayTime}`;
  },

  /** /kill [who] */
  kill (game, player, words) {
    (someone(game, words[0]) || player).hurt(1000, 'generic_kill');
    return 'killed';
  },

  /** /clear [who] */
  clear (game, player, words) {
    const { menus } = someone(game, words[0]) || player;
    menus.own.slots.fill(null);
    menus.sync(menus.own);
    return 'cleared';
  },

  /** /msg WHO WORDS, worded as older servers do. */
  msg (game, player, words) {
    const to = someone(game, words[0]);
    if (!to) return `there is no player ${words[0]}`;
    const line = words.slice(1).join(' ');
    to.client.write('system_chat', { content: text(`${player.name} whispers to you: ${line}`), isActionBar: false });
    return `You whisper to ${to.name}: ${line}`;
  },

  /** /tellraw WHO JSON: its words alone. */
  tellraw (game, player, words) {
    const to = someone(game, words[0]);
    if (!to) return `there is no player ${words[0]}`;
    const said = JSON.parse(words.slice(1).join(' '));
    const line = (Array.isArray(said) ? said : [said]).map(each => each.text ?? each).join('');
    to.client.write('system_chat', { content: text(line), isActionBar: false });
    return null;
  },

  /** /kick WHO [WHY] */
  kick (game, player, words) {
    const who = someone(game, words[0]);
    if (!who) return `there is no player ${words[0]}`;
    who.client.end(words.slice(1).join(' ') || 'kicked');
    return `kicked ${who.name}`;
  },

  /** /food POINTS: sets it, without saturation. */
  food (game, player, words) {
    player.food = Number(words[0]);
    player.saturation = 0;
    player.sendVitals();
    return `food ${player.food}`;
  },

  /** /velocity X Y Z: a push, in blocks a tick. */
  velocity (game, player, words) {
    const [x, y, z] = words.map(word => Math.round(Number(word) * 8000));
    player.client.write('entity_velocity', { entityId: player.id, velocity: { x, y, z } });
    return 'pushed';
  },

  violations (game, player) {
    return `violations ${player.violations}`;
  },

  /** /kickme [WHY]: a proper farewell. */
  kickme (game, player, words) {
    player.client.end(words.join(' ') || 'kicked as asked');
    return null;
  },

  /** /dropme: the connection breaks without one. */
  dropme (game, player) {
    player.client.socket.destroy();
    return null;
  }
};

function someone (game, name) {
  return game.players.find(each => each.name === name);
}

/** A place from three words, each a number or relative with a tilde. */
function place (player, words) {
  const { x, y, z } = player.position;
  const [px, py, pz] = words.map((word, axis) => {
    return word.startsWith('~') ? [x, y, z][axis] + Number(word.slice(1) || 0) : Number(word);
  });
  return new Vec3(px, py, pz);
}

/** Run a command, given without its slash. */
function runCommand (game, player, line) {
  const [name, ...words] = line.trim().split(/\s+/);
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : null;
  const answer = command ? command(game, player, words) : `unknown command ${name}`;
  if (answer) player.client.write('system_chat', { content: text(answer), isActionBar: false });
}

module.exports = { runCommand };
