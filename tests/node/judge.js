'use strict';
// What a client may do. Each rule returns its verdict and writes a `judge` line when it was broken.
//
// Figures are those of vanilla 1.21.1 where it has them: ranges of 4.5 and 3 blocks with one block of slack,
// 10 blocks a movement packet, seven tenths of a block's digging time. The rest (fast_step, high_jump,
// false_ground, false_air, too_many_moves) is stricter than vanilla: no player on foot does that.

const { EYE_HEIGHT, SNEAKING_EYE_HEIGHT } = require('./tables');
const { boxOf, cellBox, distanceToBox } = require('./world');

const BLOCK_REACH = 4.5 + 1;
const ENTITY_REACH = 3 + 1;
const CREATIVE_BLOCK_REACH = 5 + 1;
const CREATIVE_ENTITY_REACH = 5 + 1;

const MAX_MOVE = 10;
const MAX_STEP = 0.75;
const MAX_RISE = 0.6;
const MOVES_WINDOW_MS = 2000;
const MAX_MOVES = 46;

/** How deep a player may be inside a block's box: what rounding and step order can explain. */
const INSIDE = 0.06;
/** How near counts as standing on something. */
const TOUCH = 0.01;
/** Widening or narrowing of the feet, so that a player on the very edge is believed either way. */
const EDGE = 1e-5;

/** Milliseconds that two machines' clocks and one tick may differ by. */
const DIG_SLACK_MS = 60;
const DIG_SHARE = 0.7;

class Judge {
  constructor (world, journal) {
    this.world = world;
    this.journal = journal;
  }

  eye (player) {
    const height = player.sneaking ? SNEAKING_EYE_HEIGHT : EYE_HEIGHT;
    return player.position.offset(0, height, 0);
  }

  /** Whether a player may be at `to`. False: it has to be put back. */
  move (player, to, onGround) {
    this.countMove(player);
    if (![to.x, to.y, to.z].every(Number.isFinite)) {
      this.journal.judge(player, 'moved_too_quickly', { to: 'nowhere' });
      return false;
    }
    const from = player.position;
    const across = Math.hypot(to.x - from.x, to.z - from.z);
    const up = to.y - from.y;
    if (Math.hypot(across, up) > MAX_MOVE) {
      this.journal.judge(player, 'moved_too_quickly', { from, to });
      return false;
    }
    if (player.gameMode === 'creative' || player.gameMode === 'spectator') return true;
    if (across > MAX_STEP) this.journal.judge(player, 'fast_step', { blocks: round(across), from, to });
    if (up > MAX_RISE) this.journal.judge(player, 'high_jump', { blocks: round(up), from, to });
    const block = this.insideOf(player, to);
    if (block && !this.insideOf(player, from)) {
      this.journal.judge(player, 'inside_block', { block: block.name, at: block.position, from, to });
      return false;
    }
    this.standing(player, to, onGround, up);
    return true;
  }

  /** One movement packet a tick; a short hold-up on the way may bunch them. */
  countMove (player) {
    const now = Date.now();
    player.moveTimes = player.moveTimes.filter(time => now - time < MOVES_WINDOW_MS);
    player.moveTimes.push(now);
    if (player.moveTimes.length > MAX_MOVES) {
      this.journal.judge(player, 'too_many_moves', { count: player.moveTimes.length, in_ms: MOVES_WINDOW_MS });
      player.moveTimes = [];
    }
  }

  insideOf (player, position) {
    const [x0, y0, z0, x1, y1, z1] = boxOf(position, 0.6, player.height);
    return this.world.blockIn([x0 + INSIDE, y0 + INSIDE, z0 + INSIDE, x1 - INSIDE, y1 - INSIDE, z1 - INSIDE]);
  }

  /** A step falls first and goes sideways then, so in the tick that leaves an edge it still says "on the ground". */
  standing (player, to, onGround, up) {
    const under = (at, half) => this.world.blockIn(
      [at.x - half, to.y - TOUCH, at.z - half, at.x + half, to.y - TOUCH / 2, at.z + half]
    );
    const grounded = under(to, 0.3 + EDGE) || under(player.position, 0.3 + EDGE);
    if (onGround && !grounded) this.journal.judge(player, 'false_ground', { to });
    if (!onGround && up === 0 && under(to, 0.3 - EDGE)) this.journal.judge(player, 'false_air', { to });
  }

  /** Whether a block is near enough to dig it. */
  digReach (player, position) {
    return this.blockReach(player, position, 'dig_reach');
  }

  /** Whether a block is near enough to use something on it, and the point that was hit is on it. */
  placeReach (player, position, cursor) {
    if (!this.blockReach(player, position, 'place_reach')) return false;
    if (cursor.every(value => Math.abs(value - 0.5) <= 1.0000001)) return true;
    this.journal.judge(player, 'place_reach', { at: position, cursor });
    return false;
  }

  blockReach (player, position, kind) {
    const distance = distanceToBox(this.eye(player), cellBox(position));
    const limit = player.gameMode === 'creative' ? CREATIVE_BLOCK_REACH : BLOCK_REACH;
    if (distance <= limit) return true;
    this.journal.judge(player, kind, { at: position, blocks: round(distance) });
    return false;
  }

  /** Whether a creature is near enough to hit it. */
  attackReach (player, target) {
    const distance = distanceToBox(this.eye(player), boxOf(target.position, target.width, target.height));
    const limit = player.gameMode === 'creative' ? CREATIVE_ENTITY_REACH : ENTITY_REACH;
    if (distance <= limit) return true;
    this.journal.judge(player, 'attack_reach', { target: target.id, blocks: round(distance) });
    return false;
  }

  /** Milliseconds a block takes a player with what it holds; Infinity where it can't be done. */
  digTime (player, block) {
    const held = player.held;
    return block.digTime(held ? held.type : null, player.gameMode === 'creative', false, !player.onGround);
  }

  /** Whether a dig that a client calls finished has lasted long enough. */
  digEnd (player, block, dig) {
    const took = dig ? Date.now() - dig.since : 0;
    if (dig && dig.position.equals(block.position) && took >= dig.need * DIG_SHARE - DIG_SLACK_MS) return true;
    const need = dig ? dig.need : null;
    this.journal.judge(player, 'dig_too_fast', { block: block.name, at: block.position, took, need });
    return false;
  }

  /** Whether the number belongs to the teleport that is waited for. */
  teleportConfirm (player, number) {
    if (player.teleport && player.teleport.id === number) return true;
    const want = player.teleport ? player.teleport.id : null;
    this.journal.judge(player, 'bad_teleport_confirm', { got: number, want });
    return false;
  }
}

function round (value) {
  return Math.round(value * 1000) / 1000;
}

module.exports = { Judge };
