import { describe, expect, it } from 'vitest'
import { readTask } from './task.ts'

describe('the title of a task', () => {
  it.each([
    ['fix(cors): allow a list', 'fix(cors): allow a list'],
    ['\n\n# Crash on start\n\nIt crashes.', 'Crash on start'],
    ['<!-- Describe the bug -->\nCrash on start\nmore', 'Crash on start'],
    [`${'One sentence. '.repeat(40)}`, 'One sentence.'],
    ['x'.repeat(500), 'x'.repeat(200)],
    ['Crash <!-- never closed', 'Crash <!-- never closed'],
    ['', ''],
  ])('of %j is %j', (task, title) => {
    expect(readTask(task).title).toBe(title)
  })

  it('alone says which kinds of files the task is about', () => {
    const body = '\n\nThe documentation says otherwise. I wrote a test and an example.'
    expect(readTask(`url_for ignores _scheme${body}`).about).toMatchObject({
      tests: false,
      prose: false,
      examples: false,
    })
    expect(readTask(`docs: fix the example${body}`).about).toMatchObject({ tests: false, prose: true, examples: true })
  })
})

it('comments of a template are not part of what a task says', () => {
  const { terms } = readTask('Crash <!-- please attach a screenshot --> on start')
  expect(terms.map(({ word }) => word)).toEqual(['crash', 'on', 'start'])
})

it('the lines of a log say what a few of them say, wherever they stand', () => {
  const log = Array.from(
    { length: 900 },
    (_, at) => `2026-01-${at % 28} 10:00:${at % 60} INFO router ${at} took word${at}`,
  )
  const frames = Array.from({ length: 90 }, (_, at) => `  File "/lib/deep.py", line ${at}, in run`)
  const { terms, names, title } = readTask(['Upload fails', ...log, ...frames, 'The last chunk is lost.'].join('\n'))
  const words = terms.map(({ word }) => word)
  expect(title).toBe('Upload fails')
  expect(readTask([...log, 'Upload fails'].join('\n')).title).toBe('Upload fails')
  expect(readTask(log.join('\n')).title).toBe(log[0])
  expect(words.filter((word) => word === 'router')).toHaveLength(3)
  expect(words.slice(-2)).toEqual(['is', 'lost'])
  expect(names.frames.map(({ line }) => line)).toEqual([
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89,
  ])
})

describe('the frames of a traceback', () => {
  it.each([
    ['  File "/home/me/lib/Flask/app.py", line 336, in run', [{ path: '/home/me/lib/flask/app.py', line: 336 }]],
    ['    at parse (/srv/app/src/parse.js:12:7)', [{ path: '/srv/app/src/parse.js', line: 12 }]],
    ['\tat org.example.Main.run(Main.java:40)', [{ path: 'main.java', line: 40 }]],
    ['error[E0382] --> src/main.rs:9:5', [{ path: 'src/main.rs', line: 9 }]],
    ['C:\\code\\app.py:3: SyntaxError', [{ path: 'c:/code/app.py', line: 3 }]],
    ['at 12:30:05 it was v1.2:3', []],
  ])('%j names %j', (text, frames) => {
    expect(readTask(text).names.frames).toEqual(frames)
  })
})
