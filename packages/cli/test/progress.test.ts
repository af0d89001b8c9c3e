import { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { textWidth } from '../src/index.ts'
import { createProgress, renderProgress } from '../src/progress.ts'

/** A terminal that remembers what was written to it. */
class Screen extends Writable {
  readonly columns = 20
  text = ''

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString()
    done()
  }
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(5)
}

test('a line about work that keeps the process from drawing is drawn at once', () => {
  const screen = new Screen()
  const progress = createProgress(screen)
  progress.line('opening', { atOnce: true })
  expect(screen.text).toBe('opening\n')
  progress.stop()
})

test('lines are redrawn in place, cut to the terminal, and harmless', async () => {
  const screen = new Screen()
  const progress = createProgress(screen)
  const first = progress.line('Project \u001b[2Jone with a long title')
  const second = progress.line('设计设计设计设计设计设计')
  await until(() => screen.text.includes('\n'))
  expect(screen.text).toBe('Project one with a…\n设计设计设计设计设…\n')

  screen.text = ''
  first.update('half')
  await until(() => screen.text.includes('half'))
  expect(screen.text.startsWith('\u001b[2A\u001b[1G\u001b[0J')).toBe(true)

  screen.text = ''
  first.end()
  second.end()
  expect(screen.text).toBe('\u001b[2A\u001b[1G\u001b[0J')
  await sleep(150)
  expect(screen.text).not.toContain('half')
})

test('what is written in between finds the lines cleared, and clearing twice clears once', async () => {
  const screen = new Screen()
  const progress = createProgress(screen)
  progress.line('one')
  await until(() => screen.text.includes('one'))
  screen.text = ''
  progress.clear()
  progress.clear()
  expect(screen.text).toBe('\u001b[1A\u001b[1G\u001b[0J')
  progress.stop()
})

test('of many lines a few are shown, and how many more there are', async () => {
  const screen = new Screen()
  const progress = createProgress(screen)
  for (let i = 0; i < 30; i++) progress.line(`line ${i}`)
  await until(() => screen.text.includes('more'))
  expect(screen.text.trimEnd().split('\n')).toHaveLength(9)
  expect(screen.text).toContain('… and 22 more')
  progress.stop()
})

describe('a bar', () => {
  const text = 'checking files of a rather long name'

  test('shows share, elapsed time and estimate before the text', () => {
    const line = renderProgress({ text, done: 1, total: 4 }, 65_000, 120)
    expect(line).toBe(`[${'█'.repeat(7)}${'─'.repeat(23)}]  25 %  1:05, 3:15 left  ${text}`)
  })

  test.each([20, 60, 80, 120])('fits into %i columns', (width) => {
    const line = renderProgress({ text, done: 12, total: 20 }, 3_725_000, width)
    expect(textWidth(line)).toBeLessThanOrEqual(width)
    if (width >= 60) expect(line).toMatch(/^\[█+─+\] {2}60 % {2}1:02:05, 41:23 left {2}checking/)
  })

  test('has no estimate at first, and 100 % only at the end', () => {
    expect(renderProgress({ text, done: 0, total: 0 }, 9000, 60)).toContain('─]   0 %  0:09  checking')
    expect(renderProgress({ text, done: 1, total: 2 }, 1000, 60)).toContain(']  50 %  0:01  checking')
    expect(renderProgress({ text, done: 999, total: 1000 }, 1000, 60)).toContain(' 99 %')
    expect(renderProgress({ text, done: 7, total: 7 }, 9000, 60)).toContain('█] 100 %  0:09  checking')
  })
})
