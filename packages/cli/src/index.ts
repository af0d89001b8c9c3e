export { type CsvFileOptions, futureError, type IsoTimeOptions, parseIsoTime, readCsvFile } from './arguments.ts'
export { type ClientChoice, clientOptions } from './client-options.ts'
export {
  type Arguments,
  type Command,
  type CommandDefinition,
  type CommandSummary,
  type Commands,
  type Context,
  defineCommand,
} from './command.ts'
export { DEFUSE_RULE, type DefuseRule, defuse, undefuse } from './csv-formula.ts'
export { deniedError, whoMayRead } from './denied.ts'
export {
  CliError,
  type CliErrorOptions,
  EXIT,
  type ExitCode,
  Interrupted,
  type MapError,
  toFailure,
  UsageError,
} from './errors.ts'
export { HeapGrowth } from './heap-growth.ts'
export { openBrowser } from './open-browser.ts'
export type { Output } from './output.ts'
export { type Parsed, parseCommandLine } from './parse.ts'
export type { Progress, ProgressBar, ProgressLine, ProgressState } from './progress.ts'
export { type Program, packageVersion, runCli } from './run-cli.ts'
export { Secret } from './secret.ts'
export { readBoundedFile, whyUnreadable } from './settings/bounded-file.ts'
export { NIGHTLY_KEY, requireTrust, SNAPSHOT_KEYS } from './settings/config-file.ts'
export { type CalendarDuration, calendarDuration, duration } from './settings/duration.ts'
export { childEnvironment, settingsEnvironment, settingsFlags, shellQuoted, typedName } from './settings/environment.ts'
export { FileValueError } from './settings/file-value-error.ts'
export type { FileKeys } from './settings/parse-config.ts'
export { databaseAddress } from './settings/parsers.ts'
export { type ProgramLine, parseProgramLine } from './settings/program-line.ts'
export { revealProxy } from './settings/proxy.ts'
export type { Settings } from './settings/resolve.ts'
export { type SettingGroup, settingKeys, settingValues } from './settings/table.ts'
export { didYouMean } from './suggest.ts'
export { type Align, type Column, type ColumnOptions, formatTable, type TableOptions } from './table.ts'
export {
  fitText,
  formatBytes,
  formatCount,
  formatDuration,
  formatNumber,
  plainText,
  terminalText,
  textWidth,
} from './text.ts'
export {
  type Account,
  accountOf,
  hasToken,
  requireAddress,
  requireService,
  type TokenSettings,
  type Tokens,
} from './tokens.ts'
