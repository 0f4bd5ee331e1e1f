// Runs one discovery in its own process, for tests that watch the process or need another user. JSON in, JSON out.
import { readFileSync } from 'node:fs'
import { Machine } from '../../src/machine/machine.ts'
import { discoverPacks } from '../../src/packs/disk/discover.ts'

const { machine, request } = JSON.parse(readFileSync(0, 'utf8'))
console.log(JSON.stringify(discoverPacks(new Machine({ ...machine, now: () => new Date() }), request)))
