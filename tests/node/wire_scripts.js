'use strict';
// What wire.js does with a player. Each script may act in `login`, `configure` (before the registries),
// `beforePlay` (after them) and `play`; what it learns it notes in the journal, and throws on a wrong answer.

const assert = require('assert');
const { text } = require('./tables');
const neoforge = require('./neoforge');
const { ChatJudge, commandTree } = require('./chat_judge');

const PACKS = ['00000000-0000-0000-0000-00000000aaaa', '00000000-0000-0000-0000-00000000bbbb'];
const [LOADED, ACCEPTED, DOWNLOADED] = [0, 3, 4];

async function askCookie (player, key) {
  player.send('cookie_request', { cookie: key });
  const { value } = await player.next('cookie_response', data => data.key === key);
  return value ? value.toString() : null;
}

const cookies = {
  async login (player) {
    assert.strictEqual(await askCookie(player, 'yard:before'), null);
  },
  async configure (player) {
    player.send('store_cookie', { key: 'yard:one', value: Buffer.from('first') });
    assert.strictEqual(await askCookie(player, 'yard:one'), 'first');
  },
  async play (player) {
    player.send('store_cookie', { key: 'yard:one', value: Buffer.from('second') });
    assert.strictEqual(await askCookie(player, 'yard:one'), 'second');
    assert.strictEqual(await askCookie(player, 'yard:two'), null);
  }
};

async function pushPack (player, uuid) {
  const pack = { uuid, url: 'http://127.0.0.1:9/pack.zip', hash: '', forced: true, promptMessage: text('Please') };
  player.send('add_resource_pack', pack);
  for (const result of [ACCEPTED, DOWNLOADED, LOADED]) {
    const answer = await player.next('resource_pack_receive');
    assert.deepStrictEqual([answer.uuid, answer.result], [uuid, result]);
  }
}

const packs = {
  beforePlay: player => pushPack(player, PACKS[0]),
  async play (player) {
    await pushPack(player, PACKS[1]);
    player.send('remove_resource_pack', { uuid: PACKS[0] });
    player.send('remove_resource_pack', {});
  }
};

/** In configuration and later in play, on to another server, with a cookie. */
const transfer = {
  async configure (player) {
    player.send('store_cookie', { key: 'yard:from', value: Buffer.from('here') });
    player.send('transfer', { host: '127.0.0.1', port: player.options.to });
    await new Promise(() => {});
  }
};
const transferFromPlay = {
  async play (player) {
    player.send('store_cookie', { key: 'yard:from', value: Buffer.from('here') });
    player.send('transfer', { host: '127.0.0.1', port: player.options.to });
  }
};
const arrival = {
  async login (player) {
    player.note('cookie', { value: await askCookie(player, 'yard:from') });
  }
};

/** Out of play and into it again while packets of play are under way. */
const switches = {
  async play (player) {
    for (let turn = 0; turn < 5; turn++) {
      player.send('ping', { id: turn });
      await player.next('pong', data => data.id === turn);
      await player.reconfigure();
    }
    player.send('keep_alive', { keepAliveId: [0, 77] });
    await player.next('keep_alive');
    const rest = player.received.filter(each => each.state === 'configuration');
    player.note('rest', { names: rest.map(each => each.name) });
  }
};

/** A server that wants an account, and asks the session service whether the player has joined. */
const online = {
  async login (player) {
    const hash = await player.encrypt(true);
    const { username } = player.client;
    const asked = new URLSearchParams({ username, serverId: hash });
    const answer = await fetch(`${player.options.session}/session/minecraft/hasJoined?${asked}`);
    if (answer.status === 200) return answer.json();
    const reason = { translate: 'multiplayer.disconnect.unverified_username' };
    player.send('disconnect', { reason: JSON.stringify(reason) });
    player.client.end('unverified');
    return new Promise(() => {});
  }
};

/** A server that checks every signature and acknowledgement. */
const chat = {
  enforced: true,
  async login (player) {
    await player.encrypt();
  },
  async play (player) {
    const judge = new ChatJudge(player);
    player.send('declare_commands', commandTree());
    const session = await player.next('chat_session_update');
    judge.begin(session);
    player.note('session');
    let heard = 0;
    for (const count of [0, 1, 19, 20, 21, 70]) {
      for (let i = 0; i < count; i++) judge.hear(heard++);
      player.send('system_chat', { content: text('speak'), isActionBar: false });
      judge.message(await player.next('chat_message'));
      judge.command(await player.next('chat_command_signed'));
    }
  }
};

module.exports = {
  plain: {}, arrival, cookies, packs, transfer, transferFromPlay, switches, online, chat,
  neoforge: neoforge.script
};
