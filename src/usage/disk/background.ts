import { spawn } from 'node:child_process'
import { statSync, utimesSync } from 'node:fs'

/** Whether the due time in a file has passed. A time far in the future came from a wrong clock. */
export function isDue(path: string, now: number, furthestMs: number): boolean {
  const due = statSync(path, { throwIfNoEntry: false })?.mtimeMs
  return due !== undefined && (due <= now || due > now + furthestMs)
}

/** Starts this program again, detached: it outlives its parent and prints nothing. */
export function startInBackground(path: string, words: readonly string[], now: number, againMs: number): void {
  try {
    // Another hook a moment later must not start a second one.
    const next = new Date(now + againMs)
    utimesSync(path, next, next)
    const [, program = ''] = process.argv
    spawn(process.execPath, [program, ...words], { detached: true, stdio: 'ignore', cwd: '/' })
      .on('error', () => {})
      .unref()
  } catch {
    // The next one tries again.
  }
}
