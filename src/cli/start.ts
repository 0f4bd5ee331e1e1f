#!/usr/bin/env node
import { writeSync } from 'node:fs'
import { enableCodeCache } from '../machine/code-cache.ts'

// Traces then name the lines of the source; reading the maps takes longer than most calls.
if (process.env.LOADOUT_DEBUG) process.setSourceMapsEnabled(true)
else enableCodeCache(process.env)
if (isHook()) startHook()
else load('./program.cjs').run()

/** A file of the build, which lies beside this one only there. */
function load(file: string) {
  return require(file)
}

/** A hook has a program of its own, because a person waits for it at every prompt. */
function isHook(): boolean {
  return process.argv[2] === 'hook' && !process.argv.includes('--help') && !process.argv.includes('-h')
}

/** Agents stop their user when a hook fails: whatever happens, it ends well. */
function startHook(): void {
  try {
    load('./hook.cjs').run()
  } catch {
    writeSync(2, 'loadout: cannot load the hook; install loadout again\n')
  }
}
