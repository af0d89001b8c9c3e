export { LinkRule, type LinkRuleOptions, parseServiceHosts } from './streams/link-rule.ts'
export { type LinkKind, type LinkTarget, linkedProject, linkTargets } from './streams/link-target.ts'
export { findLinks, type LinkPattern, parseLinkPatterns } from './streams/links.ts'
export { type LinkedRecord, ServiceLinks } from './streams/service-links.ts'
