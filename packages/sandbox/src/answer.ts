import { COMMON_ERRORS, type ErrorBody, type ErrorRow, type Operation } from '@collab-etl/contract'
import { ListPage, Refusal } from './operations/handler.ts'
import { Serialised } from './store/serialised.ts'

/** A complete answer to send. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Serialised
}

/** Name of the header that holds the number of records of the whole list. */
const TOTAL_COUNT = 'x-total-count'

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' }
const HTML_TYPE = { 'content-type': 'text/html; charset=utf-8' }

export function jsonAnswer(status: number, value: unknown): Answer {
  return { status, headers: JSON_TYPE, body: Serialised.json(value) }
}

/** The answer to a successful operation. With `totalCount`, `X-Total-Count` of a list is its length over all pages. */
export function successAnswer(result: unknown, totalCount: boolean): Answer {
  const answer = (body: Serialised, total: number | null) => listAnswer(body, totalCount ? total : null)
  if (result instanceof ListPage) return answer(Serialised.list(result.records), result.total)
  if (result instanceof Serialised) return answer(result, result.records)
  if (Array.isArray(result)) return answer(Serialised.list(result), result.length)
  return jsonAnswer(200, result)
}

function listAnswer(body: Serialised, total: number | null): Answer {
  const count = total === null ? {} : { [TOTAL_COUNT]: String(total) }
  return { status: 200, headers: { ...JSON_TYPE, ...count }, body }
}

/** An error answer; `status` is needed only for codes that the operation does not document. */
export function errorAnswer(operation: Operation, code: number, status?: number): Answer {
  const row = errorRows(operation).find((candidate) => candidate.code === code)
  return jsonAnswer(status ?? row?.status ?? 500, errorBody(operation, code))
}

/** The HTML answer of a gateway in front of the service. */
export function gatewayAnswer(status: number, retryAfter?: number | string): Answer {
  const reason = GATEWAY_REASONS[status] ?? 'Error'
  const text = `<html>\r\n<head><title>${status} ${reason}</title></head>\r\n<body><center><h1>${status} ${reason}</h1></center></body>\r\n</html>\r\n`
  const retry = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }
  return { status, headers: { ...HTML_TYPE, ...retry }, body: Serialised.text(text) }
}

/** The operation's code of status 500, "… failed"; operations on webhooks have none. */
export function failedCode(operation: Operation): number | undefined {
  return errorRows(operation).find((row) => row.status === 500)?.code
}

/** The operation's code of status 400 for empty or wrong parameters, if it has one. */
function invalidCode(operation: Operation): number | undefined {
  return operation.errors.find((row) => row.status === 400)?.code
}

function errorRows(operation: Operation): readonly ErrorRow[] {
  return [...operation.errors, ...COMMON_ERRORS]
}

const GATEWAY_REASONS: Readonly<Record<number, string>> = {
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Temporarily Unavailable',
  504: 'Gateway Time-out',
}

/** Code of errors without a documented code: the HTTP status. */
const INVALID = 400

/**
 * The answer to missing or wrong parameters. The operation's code of status 400 is for its own parameters, and for `pid` only if
 * that is its only one. Otherwise the code of status 500 is used.
 */
export function invalidAnswer(operation: Operation, invalid: readonly string[]): Answer {
  const names = Object.keys(operation.params)
  const about = names.length === 1 ? names : names.filter((name) => name !== 'pid')
  const code = invalidCode(operation)
  if (code !== undefined && invalid.some((name) => about.includes(name))) return errorAnswer(operation, code)
  return failedAnswer(operation)
}

/**
 * The answer to a repeated query parameter: HTTP 400, with the operation's code of that status if it has one. Choosing one of
 * the values could delete from the wrong project.
 */
export function repeatedAnswer(operation: Operation, repeated: readonly string[]): Answer {
  const code = invalidCode(operation)
  if (code !== undefined && !repeated.includes('pid')) return errorAnswer(operation, code)
  return jsonAnswer(400, errorBody(operation, INVALID))
}

/** The answer to an error that a handler threw. Errors other than `Refusal` are bugs of the sandbox and are rethrown. */
export function refusalAnswer(operation: Operation, error: unknown): Answer {
  if (!(error instanceof Refusal)) throw error
  return error.code === 'failed' ? failedAnswer(operation) : errorAnswer(operation, error.code, error.status)
}

function failedAnswer(operation: Operation): Answer {
  const code = failedCode(operation)
  return code === undefined ? jsonAnswer(400, errorBody(operation, INVALID)) : errorAnswer(operation, code)
}

/** `error_message` by `error_code`: documented are their meaning and their language, not their wording. */
const MESSAGES: Readonly<Record<number, string>> = {
  400: '参数不正确',
  403: '没有权限',
  404: '不存在',
  429: '请求过于频繁',
  100005: '未授权，请先登录',
  100006: 'access_token 不正确',
  120001: '获取文档列表失败',
  120002: '文档名称不能为空',
  120003: '创建文档失败',
  200006: '添加评论失败',
  200007: '评论内容不能为空',
  200008: '获取评论失败',
  200009: '删除评论失败',
  400001: '获取用户的项目失败',
  400002: '项目 id 不能为空',
  400003: '获取项目失败',
  400004: '项目不存在',
  500006: '删除任务组失败',
  600001: '获取任务失败',
  600002: '任务名称或任务组 id 不能为空',
  600003: '创建任务失败',
  600005: '任务不存在',
  600013: '取消分配成员失败',
  600016: '任务中不存在该标签',
  600017: '删除标签失败',
  600027: '获取归档任务失败',
  700001: '开始时间和结束时间不正确',
  700002: '获取日程失败',
  700009: '日程不存在',
  700012: '获取今日日程失败',
  800003: '获取文件详情失败',
  800004: '文件不存在',
  900002: '话题名称不能为空',
  900003: '创建话题失败',
  900004: '获取话题详情失败',
  900005: '话题不存在',
}

/** The body of an operation's error answer (docs/dev/service-api.md#errors). */
export function errorBody(operation: Pick<Operation, 'path'>, code: number): ErrorBody {
  return { error_code: code, error_message: MESSAGES[code] ?? '请求失败', request: operation.path }
}
