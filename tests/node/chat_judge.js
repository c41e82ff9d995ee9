'use strict';
// Chat as a server with enforce-secure-profile sees it: signatures, their chain, and what was acknowledged
// (vanilla 1.21.1). The certificate of the key is not looked at: only the account service could make one.

const assert = require('assert');
const crypto = require('crypto');
const { text } = require('./tables');

const OTHER = '00000000-0000-0000-0000-000000000007';
const WINDOW = 20;

const i32 = value => { const b = Buffer.alloc(4); b.writeInt32BE(value); return b; };
const i64 = value => { const b = Buffer.alloc(8); b.writeBigInt64BE(BigInt.asIntN(64, value)); return b; };
const uuid = value => Buffer.from(value.replace(/-/g, ''), 'hex');
/** minecraft-protocol gives 64 bits as a BigInt, or as a pair of 32. */
const wide = value => Array.isArray(value) ? (BigInt(value[0]) << 32n) | BigInt(value[1] >>> 0) : BigInt(value);

class ChatJudge {
  constructor (player) {
    this.player = player;
    this.tracked = new Array(WINDOW).fill(null);
    this.index = 0;
    this.time = 0n;
    player.client.on('message_acknowledgement', ({ count }) => this.skip(count));
  }

  begin (session) {
    this.session = session.sessionUUID;
    this.key = crypto.createPublicKey({ key: session.publicKey, format: 'der', type: 'spki' });
  }

  /** Another player says something, signed as far as this player can tell. */
  hear (number) {
    const signature = crypto.createHash('sha512').update(String(number)).digest();
    const whole = Buffer.concat([signature, signature, signature, signature]);
    this.tracked.push({ signature: whole, told: false });
    this.player.send('player_chat', {
      senderUuid: OTHER, index: number, signature: whole, plainMessage: `message ${number}`,
      timestamp: 0n, salt: 0n, previousMessages: [], filterType: 0,
      type: { chatType: 1 }, networkName: text('Other')
    });
  }

  skip (offset) {
    assert(offset >= 0 && offset <= this.tracked.length - WINDOW, `offset ${offset}`);
    this.tracked.splice(0, offset);
  }

  seen (offset, acknowledged) {
    this.skip(offset);
    const bits = acknowledged[0] | acknowledged[1] << 8 | acknowledged[2] << 16;
    assert(bits < 1 << WINDOW);
    const found = [];
    for (let place = 0; place < WINDOW; place++) {
      const entry = this.tracked[place];
      if (bits >> place & 1) {
        assert(entry, `place ${place} was acknowledged and is empty`);
        entry.told = true;
        found.push(entry.signature);
      } else {
        assert(!entry || !entry.told, `place ${place} was acknowledged before`);
        this.tracked[place] = null;
      }
    }
    return found;
  }

  verify (content, timestamp, salt, seen, signature) {
    assert(timestamp >= this.time, 'time went back');
    this.time = timestamp;
    const bytes = Buffer.from(content);
    const signed = Buffer.concat([
      i32(1), uuid(this.player.client.uuid), uuid(this.session), i32(this.index++),
      i64(salt), i64(timestamp / 1000n), i32(bytes.length), bytes, i32(seen.length), ...seen
    ]);
    assert(crypto.verify('RSA-SHA256', signed, this.key, signature), `the signature of ${content}`);
    this.player.note('said', { content, seen: seen.length });
  }

  message (packet) {
    const seen = this.seen(packet.offset, packet.acknowledged);
    this.verify(packet.message, wide(packet.timestamp), wide(packet.salt), seen, packet.signature);
  }

  /** A /msg whose message is all behind the second blank. */
  command (packet) {
    const seen = this.seen(packet.messageCount, packet.acknowledged);
    const content = packet.command.split(' ').slice(2).join(' ');
    assert.deepStrictEqual(packet.argumentSignatures.map(each => each.argumentName), ['message']);
    const [{ signature }] = packet.argumentSignatures;
    this.verify(content, wide(packet.timestamp), wide(packet.salt), seen, signature);
  }
}

/** /msg, and /w that leads to it. */
function commandTree () {
  const flags = (type, more = {}) => ({
    unused: 0, has_custom_suggestions: 0, has_redirect_node: 0, has_command: 0, command_node_type: type, ...more
  });
  const entity = { unused: 0, onlyAllowPlayers: 1, onlyAllowEntities: 0 };
  return {
    nodes: [
      { flags: flags(0), children: [1, 4] },
      { flags: flags(1), children: [2], extraNodeData: { name: 'msg' } },
      {
        flags: flags(2),
        children: [3],
        extraNodeData: { name: 'targets', parser: 'minecraft:entity', properties: entity }
      },
      {
        flags: flags(2, { has_command: 1 }),
        children: [],
        extraNodeData: { name: 'message', parser: 'minecraft:message' }
      },
      { flags: flags(1, { has_redirect_node: 1 }), children: [], redirectNode: 1, extraNodeData: { name: 'w' } }
    ],
    rootIndex: 0
  };
}

module.exports = { ChatJudge, commandTree };
