import { type ChildProcess, spawn } from 'node:child_process'
import { renameSync } from 'node:fs'

/** The systems with different behaviour; every other one counts as Linux. */
export type Platform = NodeJS.Platform

/** Unix: a separate session, whose processes can be ended together. Windows: no console window for each child. */
export function childOptions(platform: Platform = process.platform): { detached: boolean; windowsHide: boolean } {
  return { detached: platform !== 'win32', windowsHide: true }
}

/** Ends a child that was started with `childOptions`, and its descendants. */
export function endTree(
  { pid }: Pick<ChildProcess, 'pid'>,
  signal: NodeJS.Signals,
  platform: Platform = process.platform,
): void {
  if (pid === undefined) return
  try {
    if (platform !== 'win32') process.kill(-pid, signal)
    // Windows has neither groups nor signals; a program without a window cannot be asked to end.
    else
      spawn('taskkill', ['/pid', String(pid), '/t', '/f'], { stdio: 'ignore', windowsHide: true }).on('error', () => {})
  } catch {
    // It has already ended.
  }
}

/** How a file is opened for flushing: Windows refuses to flush a file that was opened for reading. */
export function flushFlags(platform: Platform = process.platform): 'r' | 'r+' {
  return platform === 'win32' ? 'r+' : 'r'
}

const BUSY = /^(?:EPERM|EACCES|EBUSY)$/
const PAUSES_MS = [10, 20, 40, 80, 160, 320, 640]

/** Renames. On Windows a virus scanner or an indexer may have the folder open for a moment, so it retries. */
export function move(from: string, to: string, rename = renameSync, platform: Platform = process.platform): void {
  for (const pause of platform === 'win32' ? PAUSES_MS : []) {
    try {
      rename(from, to)
      return
    } catch (error) {
      if (!hasCode(error, BUSY)) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pause)
    }
  }
  rename(from, to)
}

/** Whether a rename failed because its target exists. Windows reports that with a general error. */
export function isTaken(error: unknown, platform: Platform = process.platform): boolean {
  return hasCode(error, /^(?:ENOTEMPTY|EEXIST)$/) || (platform === 'win32' && hasCode(error, BUSY))
}

/** The name that a file system which ignores case, or how accents are written, takes for another one. */
export function sameName(names: readonly string[], name: string): string | undefined {
  const fold = (text: string) => text.normalize('NFC').toLowerCase()
  return names.find((each) => each !== name && fold(each) === fold(name))
}

function hasCode(error: unknown, codes: RegExp): boolean {
  return error instanceof Error && 'code' in error && codes.test(String(error.code))
}
