import { expect, test } from 'vitest'
import { refuseMixing } from '../src/plan.ts'

test.each(['https://collab.example.com', 'http://10.0.0.1:80', 'http://127.0.0.1.example.com'])(
  'sample data is not mixed into that of %s',
  (address) => {
    expect(() => refuseMixing(address)).toThrow(`the warehouse holds that of ${address}`)
  },
)

test.each([null, 'http://127.0.0.1:4010', 'http://localhost:4010', 'http://[::1]:4010'])(
  'it is fine after %s',
  (address) => {
    expect(() => refuseMixing(address)).not.toThrow()
  },
)
