import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { folderPaths } from '../src/views/folder-paths.ts'

const folder = (id: string, folderId: string | null, name: string | null = id.toUpperCase()) => ({
  id,
  name,
  folderId,
  isFolder: true,
})

describe('paths of folders', () => {
  test('name the folders from the outermost one to the folder itself', () => {
    const paths = folderPaths([folder('a', null), folder('b', 'a'), folder('c', 'b', null)])
    expect(paths('c')).toEqual(['A', 'B', null])
    expect(paths(null)).toEqual([])
  })

  test('begin with the id of a folder that is not in the project', () => {
    const file = { id: 'gone', name: 'a file', folderId: null, isFolder: false }
    expect(folderPaths([folder('a', 'gone'), file])('a')).toEqual(['gone', 'A'])
  })

  test('name each folder of a circle once', () => {
    const paths = folderPaths([folder('a', 'b'), folder('b', 'a'), folder('c', 'c')])
    expect(paths('a')).toEqual(['B', 'A'])
    expect(paths('c')).toEqual(['C'])
  })

  test('end at 32 folders, for any parents', () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.nat(40)), { maxLength: 41 }), (parents) => {
        const paths = folderPaths(parents.map((parent, id) => folder(`${id}`, parent === null ? null : `${parent}`)))
        for (const id of parents.keys()) {
          const path = paths(`${id}`)
          expect(path.at(-1)).toBe(`${id}`)
          expect(path.length).toBeLessThanOrEqual(32)
          expect(new Set(path).size).toBe(path.length)
        }
      }),
    )
  })
})
