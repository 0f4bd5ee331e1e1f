export const pause = (ms: number) => new Promise((wake) => setTimeout(wake, ms))

/** A whole number below `to`. */
export const random = (from: number, to: number) => Math.floor(from + Math.random() * (to - from))
