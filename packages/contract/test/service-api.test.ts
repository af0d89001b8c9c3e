import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { serviceApiDocument } from '../scripts/service-api.ts'

test('docs/service-api.md is what `pnpm --filter @collab-etl/contract run docs` writes', async () => {
  const page = await readFile(join(import.meta.dirname, '../../../docs/service-api.md'), 'utf8')
  expect(page).toBe(serviceApiDocument())
})
