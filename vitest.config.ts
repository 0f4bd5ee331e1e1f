import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    // Most tests wait for programs that they have started: with one worker per core, a third of the time is idle.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    setupFiles: ['test/clean-up.ts'],
    projects: [
      // Pure code keeps nothing between files: what they share is loaded once.
      { extends: true, test: { name: 'rules', include: ['src/**/*.test.ts'], isolate: false } },
      {
        extends: true,
        test: {
          name: 'program',
          include: ['test/**/*.test.ts'],
          globalSetup: ['test/run-folder.ts', 'test/team/postgres.ts'],
        },
      },
    ],
    // Limits for what never ends: on a busy machine everything may take ten times as long.
    expect: { poll: { timeout: 60_000 } },
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
