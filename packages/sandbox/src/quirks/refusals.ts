import { errorAnswer, errorBody, jsonAnswer } from '../answer.ts'
import type { ServedId } from '../operations/served.ts'
import { numbered, plain, type Quirk, QuirkError, type QuirkKinds, type QuirkRequest, wholeNumber } from './quirk.ts'

const POST_FAILED = 900004
const FILE_FAILED = 800003
const FORBIDDEN = 403
const BUSY = 429

/** Requests that are answered with an error, permanently or temporarily. */
export const refusals: QuirkKinds = {
  'code-401': {
    value: { name: 'CODE[@N]', optional: false },
    describe: 'HTTP 401 with this code to every request, from the Nth on',
    make: unauthorised,
  },
  'drop-token-header': plain('the token in the header is dropped, as by some proxies', { dropsTokenHeader: true }),
  'retry-after-403': numbered(
    'every Nth request answers 403 with Retry-After: 1',
    (every) => ({
      refuse({ operation, number }) {
        if (number % every !== 0) return undefined
        const answer = jsonAnswer(FORBIDDEN, errorBody(operation, BUSY))
        return { ...answer, headers: { ...answer.headers, 'retry-after': '1' } }
      },
    }),
    50,
  ),
  'rate-limit-code': {
    value: { name: 'CODE[@N]', optional: false },
    describe: 'every Nth request answers HTTP 400 with this code (default 50)',
    make: (value) => {
      const [code, every = 50] = codeAndNumber(value)
      return {
        refuse: ({ operation, number }) =>
          number % every === 0 ? jsonAnswer(400, errorBody(operation, code)) : undefined,
      }
    },
  },
  'forbidden-webhooks': plain('the webhooks of every project answer 403', {
    refuse: ({ operation, params }) =>
      operation.id === 'webhooks.list' && params['pid'] !== undefined
        ? jsonAnswer(FORBIDDEN, errorBody(operation, FORBIDDEN))
        : undefined,
  }),
  'bad-post': plain('the first linked post of each project answers 500 with 900004', {
    refuse: (request) => (isLinkedPost(request, 'posts.get') ? errorAnswer(request.operation, POST_FAILED) : undefined),
  }),
  'forbidden-post': plain('the first linked post of each project answers 403', {
    refuse: (request) =>
      isLinkedPost(request, 'posts.get') ? jsonAnswer(FORBIDDEN, errorBody(request.operation, FORBIDDEN)) : undefined,
  }),
  'bad-file': plain('the first attached file of each project: 500 with 800003', {
    refuse({ operation, params, store }) {
      const project = operation.id === 'files.get' ? store.find(String(params['pid'])) : undefined
      const bad = project?.files.find(({ file }) => !project.unlinked_files.includes(file.fid))
      return bad?.file.fid === params['fid'] && bad ? errorAnswer(operation, FILE_FAILED) : undefined
    },
  }),
}

function unauthorised(value: string): Quirk {
  const [code, from = 1] = codeAndNumber(value)
  return {
    refuse: ({ operation, number }) => (number >= from ? jsonAnswer(401, errorBody(operation, code)) : undefined),
  }
}

function codeAndNumber(value: string): [code: number, number?: number] {
  const [code = '', number] = value.split('@', 2)
  if (!/^\d{1,9}$/.test(code)) throw new QuirkError(`takes an error code, not "${value}"`)
  return number === undefined ? [Number(code)] : [Number(code), wholeNumber(number)]
}

function isLinkedPost({ operation, params, store }: QuirkRequest, id: ServedId): boolean {
  const project = operation.id === id ? store.find(String(params['pid'])) : undefined
  const linked = project?.posts.find(({ post }) => !project.unlinked_posts.includes(post.post_id))
  return linked !== undefined && linked.post.post_id === params['post_id']
}
