// The texts of the report of a backup in Chinese, beside those of `zh.js`; `#` is any number.
Object.assign(globalThis.collabTexts.zh, {
  'and #': '和 #',
  'all records': '所有记录',
  '# records': '# 条记录',
  records: '条记录',
  'archived task': '已归档的任务',
  'task group': '任务组',
  'task comment': '任务评论',
  webhook: 'Webhook',
  team: '团队',
  kind: '类型',
  removed: '移除',
  moved: '移动',
  renamed: '重命名',
  of: '·',

  // The report of a backup
  'Backup report': '备份报告',
  'Backup of': '备份：',
  'Not complete: # of # list was not read completely.': '不完整：有 # 个列表未能读完（共 # 个）。',
  'Not complete: # of # list was not read completely; what is missing was accepted.':
    '不完整：有 # 个列表未能读完（共 # 个）；缺失的内容已被接受。',
  'Not complete: # of # lists was not read completely; what is missing was accepted.':
    '不完整：有 # 个列表未能读完（共 # 个）；缺失的内容已被接受。',
  'Not complete: # of # lists were not read completely; what is missing was accepted.':
    '不完整：有 # 个列表未能读完（共 # 个）；缺失的内容已被接受。',
  'Not complete: # of # list was not read completely; the token may not read what is missing.':
    '不完整：有 # 个列表未能读完（共 # 个）；令牌无权读取缺失的内容。',
  'Not complete: # of # lists was not read completely; the token may not read what is missing.':
    '不完整：有 # 个列表未能读完（共 # 个）；令牌无权读取缺失的内容。',
  'Not complete: # of # lists were not read completely; the token may not read what is missing.':
    '不完整：有 # 个列表未能读完（共 # 个）；令牌无权读取缺失的内容。',
  'Not complete: # of # lists were not read completely; the token may not read what is missing, or it was accepted.':
    '不完整：有 # 个列表未能读完（共 # 个）；令牌无权读取缺失的内容，或缺失的内容已被接受。',
  'bag-info.txt, in the directory above this one, says when this backup was written.':
    '上级目录中的 bag-info.txt 记录了此备份的写入时间。',
  'lists all unread items and conversion issues.': '列出了所有未能读取的条目和转换问题。',

  // What changed
  'What changed': '变更',
  'No earlier state of this service is backed up in this directory, so there is nothing to compare with.':
    '此目录中没有该服务更早的备份，因此无可比较。',
  'Not compared with the previous backup, #T#Z:': '未与上一个备份 #T#Z 比较：',
  'it cannot be read': '无法读取',
  'it is missing, or another program or a newer version wrote it': '备份不存在，或由其他程序或更新的版本写入',
  'No kind of record could be compared with the previous backup, #T#Z.': '没有任何类型的记录能与上一个备份 #T#Z 比较。',
  'No difference from the previous backup, #T#Z, in': '与上一个备份 #T#Z 相比没有差异：',
  'Changes since the previous backup, #T#Z:': '自上一个备份 #T#Z 以来的变更：',
  'Projects that are new': '新项目',
  'Projects that are no longer in the backup': '不再包含于备份的项目',
  'Not compared:': '未比较：',
  ', not covered by the previous backup:': '，上一个备份未涵盖：',
  ', not covered by this backup:': '，此备份未涵盖：',
  ', not covered by both backups:': '，两个备份均未涵盖：',
  'not everything was read to its end': '未能全部读完',
  'it was made without this project': '备份时未包含此项目',
  'posts and files are found in other records, and it lacks some of them':
    '话题和文件是从其他记录中找到的，其中一些记录缺失',
  'a kind is compared if both backups have it in the same format': '只有两个备份以相同格式包含某类型时才会比较',
  'and # more records: collab-export diff lists them': '另有 # 条记录：用 collab-export diff 列出',
  'and # more pages: collab-export diff lists them': '另有 # 篇文档：用 collab-export diff 列出',
  'and # more posts: collab-export diff lists them': '另有 # 个话题：用 collab-export diff 列出',
  'and # more tasks: collab-export diff lists them': '另有 # 个任务：用 collab-export diff 列出',
  'and # more events: collab-export diff lists them': '另有 # 个日程：用 collab-export diff 列出',
  'and # more files: collab-export diff lists them': '另有 # 个文件：用 collab-export diff 列出',

  // What the backup has
  Contents: '备份内容',
  'No project.': '没有项目。',
  'Posts and files that no link and no attachment leads to are missing where the service does not list them, and so are comments of tasks. Contents of files are in no backup.':
    '如果服务不列出话题、文件和任务评论，则备份缺少任务评论，以及没有链接或附件指向的话题和文件。任何备份都不包含文件内容。',

  // What is missing
  'What is missing': '缺失的内容',
  'Records of these lists may be missing or out of date. Those that were read are in the backup.':
    '这些列表的记录可能缺失或过时。已读取的记录在备份中。',
  'The list of': '列表：',
  'Accepted:': '已接受：',
  'until #-#-#': '至 #-#-#',
  'Items that could not be read': '未能读取的条目',
  'Look for them in the service. Later runs request them again.': '请在服务中查看。之后的运行会再次请求它们。',
  item: '条目',
  why: '原因',
  'some items could not be read': '部分条目未能读取',
  'the list changed while it was read, or it may be cut': '列表在读取时发生变化，或可能被截断',
  'read, but no row was marked deleted, because there were more than the deletion guard allows':
    '已读取，但要删除的数据行数超过删除保护的上限，因此没有数据行被标记为已删除',
  'not read, because the token has no permission': '令牌没有权限，因此未读取',
  'not read, because the account that can read them failed; earlier records are kept':
    '能读取它们的账号无法使用，因此未读取；保留之前读取的记录',
  'Replace the token of the account, and run again.': '请更换该账号的令牌，然后重新运行。',
  'Look at the items in the service. The next run requests them again.': '请在服务中查看这些条目。下次运行会再次请求。',
  'Run again when fewer people are at work.': '请在使用者较少的时段再次运行。',
  'Check in the service whether so much was really deleted. If so, run snapshot once with --allow-shrink.':
    '请在服务中确认是否确实删除了这么多内容。如果是，请用 --allow-shrink 运行一次 snapshot。',
  'Give the user of the token permission in the project, if these records are to be in the backup.':
    '如果需要备份这些记录，请授予令牌所属用户访问该项目的权限。',
  'Run again later, with a lower --concurrency or with --rate.': '请稍后再次运行，降低 --concurrency 或设置 --rate。',
  'Look the code up in docs/troubleshooting.md of collab-etl, and run again.':
    '请在 collab-etl 的 docs/troubleshooting.md 中查找此错误码，然后再次运行。',
  'Check that the token is that of a user who sees the projects.': '请确认令牌属于能看到这些项目的用户。',
  'The message names what is missing. Run a snapshot of the project.':
    '错误信息说明了缺失的内容。请为该项目运行 snapshot。',
  'The service ignores the page number, so the list cannot be read. Report it to the operator of the service.':
    '服务忽略页码，因此无法读取列表。请告知服务的管理员。',
  'The next run requests the rest.': '下次运行会请求其余部分。',
  'See why the lists of tasks are incomplete. The next run that reads them reads the comments, too.':
    '请查看任务列表不完整的原因。下次读取任务时也会读取评论。',
  'Wait for the next runs, or raise --max-requests or --max-duration.':
    '请等待之后的运行，或提高 --max-requests 或 --max-duration。',
  'Run collab-extract snapshot without --project and --streams.':
    '请不带 --project 和 --streams 运行 collab-extract snapshot。',
  'Run collab-extract snapshot again. If that does not help, check in the service that the project is listed.':
    '请再次运行 collab-extract snapshot。如果仍未解决，请在服务中确认项目在列表中。',
  'For events, use --events-window 31d or less. Otherwise ask the operator of the service.':
    '对于日程，请使用 --events-window 31d 或更小的值。否则请联系服务的管理员。',

  // Conversion issues
  'None: every value is in the backup as the service sent it.': '无：所有值均按服务发送的原样保存。',
  'and # more, in backup.json': '另有 # 条，见 backup.json',
  'comment on page': '文档的评论',
  'comment on post': '话题的评论',
  'comment on file': '文件的评论',
  'part of task': '属于任务',
  'part of event': '属于日程',
  'part of page': '属于文档',
  'part of archived task': '属于已归档的任务',
  in: '项目',
  field: '字段',
  to: '指向',
  was: '原值：',
  formerly: '原标题：',
  'from project': '原项目：',
  'parent page:': '上级文档：',
  'task group:': '任务组：',
  'folder:': '文件夹：',
  parent: '上级：',
  '# characters': '# 个字符',
  'the record states #': '记录标明 #',
  'Values of another type or form than documented: converted': '类型或格式与接口说明不符的值：已转换',
  'Numbers with more digits than can be stored: the nearest value was stored':
    '位数超出存储能力的数字：已存储最接近的值',
  'Numbers that do not fit: left empty': '超出范围的数字：留空',
  'Dates that do not exist: left empty': '不存在的日期：留空',
  'Fields that the service did not send: the stored value was kept, or left empty':
    '服务未发送的字段：保留已存储的值或留空',
  'Fields that the service sent as null although its documentation has a value: left empty':
    '接口说明规定有值、但服务发送 null 的字段：留空',
  'Lists that the service sent as null: read as empty, and nothing was deleted':
    '服务发送为 null 的列表：按空列表读取，未删除任何内容',
  'Values of another type: the stored value was kept, or left empty': '其他类型的值：保留已存储的值或留空',
  'Elements without an id: not stored': '没有 ID 的元素：未存储',
  'Two different records with the same id: the later one was stored': '两个不同的记录使用同一 ID：已存储后者',
  'Fields that one record has twice: the last value was stored': '同一记录中出现两次的字段：已存储最后的值',
  'Records that name another project: kept in the one they were read from':
    '标明其他项目的记录：保留在读取它们的项目中',
  'Bytes that are not text: replaced by U+FFFD': '不是文本的字节：已替换为 U+FFFD',
  'Characters that cannot be stored: replaced by U+FFFD': '无法存储的字符：已替换为 U+FFFD',
  'Incomplete characters (lone surrogates): replaced by U+FFFD': '不完整的字符（孤立代理项）：已替换为 U+FFFD',
  'Ids of more than # bytes: shortened': '超过 # 字节的 ID：已缩短',
  'Ids that no request can contain: what they name was not read': '无法用于请求的 ID：其所指内容未读取',
  'Lists with fewer elements than the record states: those that were received were stored':
    '元素少于记录所标数量的列表：已存储收到的元素',
  'Pages whose parent is not in the list of pages': '上级不在文档列表中的文档',
  'Pages whose parent is not in the project: shown at the top': '上级不在项目中的文档：显示在顶层',
  'Pages that are each other’s parent: one of them is shown at the top': '互为上级的文档：其中之一显示在顶层',
  'Pages too deep for a file path: shown at the top': '层级过深、无法作为文件路径的文档：显示在顶层',
  'Links to pages, posts, files or projects that are not in the backup: left as they were':
    '指向备份中没有的文档、话题、文件或项目的链接：保持原样',
  'Texts that would take too long to parse: their links were left as they were':
    '解析耗时过长的文本：其中的链接保持原样',
  'Texts that would take too long to parse: shown as plain text': '解析耗时过长的文本：显示为纯文本',
  'Events before the year # or after #: not in events.ics': '# 年之前或 # 年之后的日程：不在 events.ics 中',
  'Values that were not kept exactly': '未能原样保留的值',

  // About the backup
  'About this backup': '关于此备份',
  Service: '服务',
  'Read from': '来源',
  'the service, directly': '直接读取服务',
  'a warehouse': '数据仓库',
  run: '运行',
  succeeded: '成功',
  partial: '不完整',
  interrupted: '已中断',
  running: '运行中',
  'Read as': '读取账号',
  'State as of': '数据时间',
  'Oldest data read': '最早的数据读取时间',
  'Carried since': '沿用自',
  'the oldest reading of records that the run did not read again': '此次运行未重新读取的记录中最早的读取时间',
  Note: '备注',
  'A snapshot was under way: this is the state before it began.': '当时有快照正在进行：这是它开始之前的状态。',
  'Runs that did not finish': '未完成的运行',
  'Made by': '生成程序',
  Formats: '格式',
  Content: '内容',
  'all that the service lists': '服务列出的全部项目',
  '# project that were requested': '所请求的 # 个项目',
  '# projects that were requested': '所请求的 # 个项目',
})
