import { loadYoga, type Yoga } from 'yoga-layout/load'

/**
 * Ink's layout engine. Its own entry waits for WebAssembly while modules are loaded; this one lets the rest load
 * meanwhile, and is ready when `ready` says so.
 */
const yoga: Partial<Yoga> = {}

export default yoga
export * from 'yoga-layout/load'
export const ready = loadYoga().then((loaded) => Object.assign(yoga, loaded))
