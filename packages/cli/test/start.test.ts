import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { nodeProblem } from '../src/start.ts'

describe('the version of Node', () => {
  test.each(['22.19.0', '22.20.1', '24.0.0', '100.1.0'])('%s is recent enough', (version) => {
    expect(nodeProblem(version)).toBeNull()
  })

  test.each(['18.20.4', '20.20.2', '22.18.9', '22.9.0'])('%s is named as too old, with what to do', (version) => {
    expect(nodeProblem(version)).toBe(
      `this is Node ${version}, and version 22.19 or later is needed: install it from https://nodejs.org`,
    )
  })

  test('that is needed is that of the packages', () => {
    const { engines } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'))
    expect(nodeProblem('1.0.0')).toContain(`version ${engines.node.replace('>=', '')} or later`)
  })
})
