'use strict'
// How fast mineflayer-pathfinder searches. Reads JSON lines {x, y, z, dig} of goals from standard input, searches from
// the surface at the origin over the hills of tests/body/path/terrain.py, and prints a list of
// {found, ms, visited, length}.
const fs = require('fs')
const { Vec3 } = require('vec3')
const registry = require('prismarine-registry')('1.21.1')
const Chunk = require('prismarine-chunk')(registry)
const { Movements, goals } = require('mineflayer-pathfinder')
const AStar = require('mineflayer-pathfinder/lib/astar')
const Move = require('mineflayer-pathfinder/lib/move')

const state = name => registry.blocksByName[name].defaultState

function noise (x, z) {
  let h = (x * 374761393 + z * 668265263) | 0
  h = Math.imul(h ^ (h >>> 13), 1274126177)
  return ((h ^ (h >>> 16)) >>> 0) / 4294967296
}

function smooth (x, z, scale) {
  const fx = Math.floor(x / scale)
  const fz = Math.floor(z / scale)
  const ease = t => t * t * (3 - 2 * t)
  const u = ease(x / scale - fx)
  const v = ease(z / scale - fz)
  const mix = (a, b, t) => a + (b - a) * t
  return mix(mix(noise(fx, fz), noise(fx + 1, fz), u), mix(noise(fx, fz + 1), noise(fx + 1, fz + 1), u), v)
}

const surface = (x, z) => 64 + Math.floor(smooth(x, z, 24) * 14 + smooth(x + 999, z, 7) * 3)

const columns = new Map()
function column (cx, cz) {
  const key = `${cx},${cz}`
  let chunk = columns.get(key)
  if (chunk) return chunk
  chunk = new Chunk({ minY: -64, worldHeight: 384 })
  const at = new Vec3(0, 0, 0)
  const set = (x, y, z, s) => { at.x = x; at.y = y; at.z = z; chunk.setBlockStateId(at, s) }
  for (let x = 0; x < 16; x++) {
    for (let z = 0; z < 16; z++) {
      const wx = cx * 16 + x
      const wz = cz * 16 + z
      const top = surface(wx, wz)
      set(x, -64, z, state('bedrock'))
      for (let y = -63; y < top - 4; y++) {
        const ore = noise(wx * 31 + y, wz * 17 - y) < 0.02
        set(x, y, z, state(ore ? 'iron_ore' : y < 0 ? 'deepslate' : 'stone'))
      }
      for (let y = top - 4; y < top - 1; y++) set(x, y, z, state('dirt'))
      set(x, top - 1, z, state('grass_block'))
      if (noise(wx, wz) > 0.992) for (let y = top; y < top + 5; y++) set(x, y, z, state('oak_log'))
    }
  }
  columns.set(key, chunk)
  return chunk
}

const bot = {
  registry,
  version: '1.21.1',
  entities: {},
  inventory: { items: () => [] },
  pathfinder: { bestHarvestTool: () => null },
  entity: { effects: {} },
  game: { minY: -64, height: 384 },
  on () {},
  blockAt (point) {
    const p = point.floored()
    const block = column(p.x >> 4, p.z >> 4).getBlock(new Vec3(p.x & 15, p.y, p.z & 15))
    block.position = p
    return block
  }
}

const results = []
for (const line of fs.readFileSync(0, 'utf8').split('\n').filter(Boolean)) {
  const wish = JSON.parse(line)
  const movements = new Movements(bot)
  movements.canDig = wish.dig
  movements.allow1by1towers = false
  movements.scafoldingBlocks = []
  const start = new Move(0, surface(0, 0), 0, 0, 0)
  for (let cx = -10; cx <= 10; cx++) for (let cz = -10; cz <= 10; cz++) column(cx, cz)
  const search = new AStar(start, movements, new goals.GoalBlock(wish.x, wish.y, wish.z), 20000, 20000, -1)
  const began = process.hrtime.bigint()
  const result = search.compute()
  const ms = Number(process.hrtime.bigint() - began) / 1e6
  results.push({ found: result.status === 'success', ms, visited: result.visitedNodes, length: result.path.length })
}
console.log(JSON.stringify(results))
