import { crc32 } from 'node:zlib'
import { fuzz } from '../../../test/fuzz/fuzz.ts'
import { Random } from '../../../test/fuzz/random.ts'
import { judgeDecoding } from './helpers/decoder-judge.ts'

const task =
  '{"tid":"t1","name":"a\\"b\\\\ \\u4e2d\\ud83d\\ude00","pos":-1.5e+3,"labels":[{"name":"红","desc":null}],"__proto__":{"a":[1]}}'

fuzz({
  name: 'the decoder of lists',
  inputs: 800,
  seeds: [
    '[]',
    ' \r\n\t[ ] \n',
    '\ufeff[1]',
    '[1e400,-0,"\\ud800",0.1E-7,12345678901234567890]',
    '["a\\\\","],[\\"",{"]":"["}]',
    '[{"a":1,"a":2},{"__proto__":1},[],[[]],{},true,false,null]',
    `[${task},${task}]`,
    `[${Array(40).fill('"é中😀"').join(' , ')}]`,
    `${'['.repeat(999)}${']'.repeat(999)}`,
    `[1,${' '.repeat(70_000)},2]`,
    // the part after a comma up to which the list was emitted already
    ...['2,3]', ']', ',2]', '2', '2}', '2]]'].map((end) => `[1${' '.repeat(60_000)},${' '.repeat(8_000)}${end}`),
    Buffer.concat([Buffer.from('[{"a":"x'), Buffer.of(0xff, 0xc3), Buffer.from('"}]')]),
    ...['{"error_code":100006,"error_message":"错误","request":"/v1/tasks"}', '<html><body>Bad Gateway</body></html>'],
    ...['null', '"[]"', '[1][2]', '[1,,2]', ''],
  ],
  judge(input) {
    // the same input is always cut the same way
    const random = new Random(crc32(input))
    const places = Array.from({ length: random.below(8) }, () => random.below(input.length + 1))
    return judgeDecoding(input, places)
  },
})
