'use strict';
// A server on minecraft-protocol with flat ground and nothing on it: it goes through login, configuration and play
// by one of the scripts of wire_scripts.js, and notes every answer in a journal.
//
//   node wire.js --script cookies --log journal.jsonl [--port N] [--to N]

const crypto = require('crypto');
const { load } = require('./packages');
const { readOptions } = require('./options');
const { Journal } = require('./journal');
const ground = require('./ground');
const { VERSION, registry } = require('./tables');

const mc = load('minecraft-protocol');
const NodeRSA = load('node-rsa');

const options = readOptions(process.argv.slice(2), { port: 0, script: 'plain', log: '', to: 0, required: '', session: '' });
const script = { ...require('./wire_scripts'), ...require('./wire_scenes') }[options.script];
if (!script) throw new Error(`there is no script ${options.script}`);

const journal = new Journal(options.log);

/** Packets of a client after which it speaks in another state, and so do we. */
const NEXT_STATE = {
  login_acknowledged: 'configuration', finish_configuration: 'play', configuration_acknowledged: 'configuration'
};

/** One client: what it sends can be waited for, in order. */
class Player {
  constructor (client) {
    this.client = client;
    this.options = options;
    this.journal = journal;
    this.received = [];
    this.order = [];
    this.teleports = 0;
    this.waiting = [];
    client.on('packet', (data, meta, buffer) => {
      journal.packet(client, data, meta, buffer);
      // at once: the next packet may be in the same read
      if (meta.name === 'set_protocol') client.state = data.nextState === 1 ? 'status' : 'login';
      if (NEXT_STATE[meta.name]) client.state = NEXT_STATE[meta.name];
      this.order.push(data.channel || meta.name);
      this.received.push({ name: meta.name, state: meta.state, data });
      this.waiting = this.waiting.filter(check => !check());
    });
  }

  send (name, fields = {}) {
    this.client.write(name, fields);
  }

  payload (channel, data = Buffer.alloc(0)) {
    this.send('custom_payload', { channel, data });
  }

  /** The next packet of a name that fits and was not taken yet. */
  next (name, fits = () => true) {
    return new Promise(resolve => {
      const check = () => {
        const at = this.received.findIndex(each => each.name === name && fits(each.data));
        if (at < 0) return false;
        resolve(this.received.splice(at, 1)[0].data);
        return true;
      };
      if (!check()) this.waiting.push(check);
    });
  }

  /** The next payload on a channel. */
  async nextPayload (channel) {
    return (await this.next('custom_payload', data => data.channel === channel)).data;
  }

  note (event, facts = {}) {
    journal.event(event, facts);
  }

  /** Encrypt the link, as a server does that wants an account or one that does not. Gives the hash under which
   * a player with an account has told the session service that it joins. */
  async encrypt (shouldAuthenticate = false) {
    const key = new NodeRSA({ b: 1024 });
    key.setOptions({ encryptionScheme: 'pkcs1', environment: 'browser' });
    const verifyToken = crypto.randomBytes(4);
    const publicKey = key.exportKey('pkcs8-public-der');
    this.send('encryption_begin', { serverId: '', publicKey, verifyToken, shouldAuthenticate });
    const answer = await this.next('encryption_begin');
    if (!key.decrypt(answer.verifyToken).equals(verifyToken)) throw new Error('the token came back changed');
    const secret = key.decrypt(answer.sharedSecret);
    this.client.setEncryption(secret);
    return signedHex(crypto.createHash('sha1').update(secret).update(publicKey).digest());
  }

  /** From login_start to configuration. */
  async login () {
    const { username } = await this.next('login_start');
    this.client.username = username;
    this.client.uuid = offlineUuid(username);
    const profile = script.login ? await script.login(this) : null;
    if (profile) this.client.uuid = dashed(profile.id);
    this.send('compress', { threshold: 256 });
    this.client.compressionThreshold = 256;
    this.send('success', { uuid: this.client.uuid, username, properties: [], strictErrorHandling: false });
    await this.next('login_acknowledged');
  }

  async configure () {
    if (script.configure) await script.configure(this);
    this.send('select_known_packs', { packs: [{ namespace: 'minecraft', id: 'core', version: VERSION }] });
    await this.next('select_known_packs');
    for (const each of Object.values(registry.loginPacket.dimensionCodec)) this.send('registry_data', each);
    if (script.beforePlay) await script.beforePlay(this);
    this.send('finish_configuration');
    await this.next('finish_configuration');
  }

  async play () {
    this.enter();
    if (script.play) await script.play(this);
    this.note('done');
  }

  /** Into the world: login and all that comes with it. */
  enter () {
    this.teleports += 1;
    this.send('login', ground.login(script, this.teleports));
    ground.arrive(this, this.teleports);
  }

  /** Wait until the client stands where it was put last, and moves as a body does: its next steps. */
  async stands () {
    await this.next('teleport_confirm', data => data.teleportId === this.teleports);
    await this.next('position_look');
  }

  /** Wait for a step of the body that brings it to the east of `x`. */
  walked (x) {
    const east = data => data.x > x;
    return Promise.race([this.next('position', east), this.next('position_look', east)]);
  }

  /** Back to configuration and to play again. */
  async reconfigure () {
    this.send('start_configuration');
    await this.next('configuration_acknowledged');
    await this.configure();
    this.enter();
  }
}

/** A hash as Java prints a signed number: negative ones with a minus, no zeros in front. */
function signedHex (bytes) {
  return BigInt.asIntN(160, BigInt(`0x${bytes.toString('hex')}`)).toString(16);
}

function dashed (hex) {
  return hex.replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5');
}

function offlineUuid (name) {
  const hash = crypto.createHash('md5').update(`OfflinePlayer:${name}`).digest();
  hash[6] = (hash[6] & 0x0f) | 0x30;
  hash[8] = (hash[8] & 0x3f) | 0x80;
  return dashed(hash.toString('hex'));
}

async function serve (client) {
  const player = new Player(client);
  client.on('error', error => journal.event('error', { text: String(error) }));
  client.on('end', reason => journal.event('ended', { reason: String(reason) }));
  const { nextState } = await player.next('set_protocol');
  if (nextState === 1) {
    await player.next('ping_start');
    const version = { name: VERSION, protocol: 767 };
    player.send('server_info', { response: JSON.stringify({ version, players: { max: 1, online: 0 } }) });
    player.send('ping', await player.next('ping'));
    return;
  }
  await player.login();
  await player.configure();
  await player.play();
}

const server = new mc.Server(VERSION, undefined, true);
server.on('connection', client => {
  serve(client).catch(error => journal.event('failed', { text: error.stack }));
});
server.on('listening', () => {
  console.log(`listening 127.0.0.1:${server.socketServer.address().port}`);
});
server.on('error', error => { throw error; });
server.listen(options.port, '127.0.0.1');
