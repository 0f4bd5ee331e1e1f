import { parentPort } from 'node:worker_threads'
import { createLoadout } from '../loadout.ts'
import { createRunner } from './run-effect.ts'
import type { Order, Reply } from './start-worker.ts'

const reply = (value: Reply) => parentPort?.postMessage(value)

/** Use cases run in a separate thread, so that every key is answered at once. */
const run = createRunner({ loadout: createLoadout({ persist: true }), dispatch: (message) => reply({ message }) })
parentPort?.on('message', ({ id, effect }: Order) => void run(effect).then(() => reply({ ended: id })))
