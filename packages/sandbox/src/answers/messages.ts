import type { ErrorBody, KnownOperation } from '@collab-etl/contract'

/** `error_message` by `error_code`: documented are their meaning and their language, not their wording. */
const MESSAGES: Readonly<Record<number, string>> = {
  400: '参数不正确',
  403: '没有权限',
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

/** The body of an operation's error answer (docs/service-api.md#errors). */
export function errorBody(operation: Pick<KnownOperation, 'path'>, code: number): ErrorBody {
  return { error_code: code, error_message: MESSAGES[code] ?? '请求失败', request: operation.path }
}
