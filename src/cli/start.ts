#!/usr/bin/env node
import { writeSync } from 'node:fs'
import { join } from 'node:path'
import { type Load, openCodeCache } from '../machine/code-cache.ts'

const load = openProgram()
if (isHook()) startHook()
else load(join(__dirname, 'program.cjs')).run()

/** Loads the files of the build, which are beside this one only there. */
function openProgram(): Load {
  if (!process.env.LOADOUT_DEBUG) return openCodeCache(process.env) ?? require
  // Stack traces then name source lines; reading the maps takes longer than most calls.
  process.setSourceMapsEnabled(true)
  return require
}

/** A hook has its own program, because a user waits for it at every prompt. */
function isHook(): boolean {
  return process.argv[2] === 'hook' && !process.argv.includes('--help') && !process.argv.includes('-h')
}

/** Agents interrupt their user when a hook fails: it must always exit with 0. */
function startHook(): void {
  try {
    load(join(__dirname, 'hook.cjs')).run()
  } catch {
    writeSync(2, 'loadout: cannot load the hook; install loadout again\n')
  }
}
