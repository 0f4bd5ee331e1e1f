import { parentPort, workerData } from 'node:worker_threads'
import { buildPart } from './build-parts.ts'

const parts = [...buildPart(workerData.root, workerData.paths)]
parentPort?.postMessage(
  parts,
  parts.map(({ built }) => built.bytes.buffer as ArrayBuffer),
)
