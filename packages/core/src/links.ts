export { parseLinkPatterns } from './streams/link-patterns.ts'
export { LinkRule, type LinkRuleOptions, parseServiceHosts } from './streams/link-rule.ts'
export { type LinkKind, type LinkTarget, linkedProject, linkTargets } from './streams/link-target.ts'
export { findLinks, type LinkPattern } from './streams/links.ts'
