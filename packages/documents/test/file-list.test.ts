import { expect, test } from 'vitest'
import { fileSection } from '../src/markdown/file-section.ts'
import { People } from '../src/people.ts'
import { fileView } from '../src/views/file.ts'
import { FileReferences } from '../src/views/file-references.ts'

const people = new People(new Map([['u1', { uid: 'u1', name: 'Ada' }]]))

const view = (row: object) =>
  fileView({ table: 'files', row: { pid: 'p', fid: 'f', ...row }, lists: new Map() }, people)

test.each([
  ['0', '0 bytes'],
  ['999', '999 bytes'],
  [1234n, '1.2 kB (1234 bytes)'],
  ['9007199254740993', '9.0 PB (9007199254740993 bytes)'],
])('a size of %s reads: %s', (size_bytes, words) => {
  expect(fileSection(view({ size_bytes }), '', [])).toContain(`- Size: ${words}\n`)
})

test.each([[{ size_bytes: null }], [{ size_bytes: '139.79KB' }], [{ size_bytes: '0', type: 1 }]])(
  'without a number of bytes, and of a folder, no size is given: %j',
  (row) => {
    expect(fileSection(view(row), '', [])).not.toContain('Size')
  },
)

test('a file is referred to once by each record, by pages first, and only from its own project', () => {
  const links = {
    recordOf: (url: string, pid: string) => {
      const [kind = '', id = '', other = pid] = url.split(' ')
      return { kind: kind as 'file' | 'page', id, pid: other, isOwn: true, fragment: '' }
    },
    mayBeIn: () => true,
  }
  const references = new FileReferences(links)
  references.begin('p')
  references.add({ kind: 'post', id: '1 2' }, ['file f', 'page f', 'file f other'], ['g', 'f'])
  references.add({ kind: 'page', id: 'z' }, ['file f', 'file f'], [])
  references.add({ kind: 'page', id: 'a' }, ['file f'], [])
  expect([...references.all()]).toEqual([
    [
      'f',
      [
        { kind: 'page', id: 'a' },
        { kind: 'page', id: 'z' },
        { kind: 'post', id: '1 2' },
      ],
    ],
    ['g', [{ kind: 'post', id: '1 2' }]],
  ])
  references.begin('q')
  expect([...references.all()]).toEqual([])
})
