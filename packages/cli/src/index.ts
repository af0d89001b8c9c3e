export { type CsvFileOptions, readCsvFile } from './arguments/csv-file.ts'
export { type IsoTimeOptions, parseIsoTime } from './arguments/iso-time.ts'
export { clientOptions } from './client-options.ts'
export {
  type Arguments,
  type Command,
  type CommandDefinition,
  type Commands,
  type Context,
  defineCommand,
} from './command.ts'
export { DEFUSE_RULE, type DefuseRule, defuse, undefuse } from './csv-formula.ts'
export { CliError, type CliErrorOptions, Interrupted, UsageError } from './errors.ts'
export { EXIT, type ExitCode } from './exit.ts'
export { type MapError, toFailure } from './failure.ts'
export { formatBytes, formatCount, formatDuration, formatNumber } from './human.ts'
export type { Output } from './output.ts'
export { type Parsed, parseCommandLine } from './parse.ts'
export type { Progress, ProgressBar, ProgressLine, ProgressState } from './progress.ts'
export { type Program, runCli } from './run-cli.ts'
export { Secret } from './secret.ts'
export type { FileKeys } from './settings/config-file.ts'
export { settingsEnvironment } from './settings/environment.ts'
export { settingsFlags, shellQuoted } from './settings/flags-for.ts'
export { requireService } from './settings/required.ts'
export type { Settings } from './settings/resolve.ts'
export type { SettingGroup } from './settings/setting.ts'
export { type Align, type Column, type ColumnOptions, formatTable, type TableOptions } from './table.ts'
export { fitText, plainText, terminalText, textWidth } from './text.ts'
