/** What a page may load and do. `formTargets` are further origins a form may end at, redirects included. */
export function contentSecurityPolicy(
  options: { inlineStyles?: boolean; formTargets?: readonly string[] } = {},
): string {
  const { inlineStyles = false, formTargets = [] } = options
  return [
    `default-src 'none'`,
    `script-src 'self'`,
    `style-src 'self'${inlineStyles ? ` 'unsafe-inline'` : ''}`,
    `img-src 'self' data:`,
    `connect-src 'self'`,
    `form-action ${[`'self'`, ...formTargets].join(' ')}`,
    `base-uri 'none'`,
    `frame-ancestors 'none'`,
    `require-trusted-types-for 'script'`,
  ].join('; ')
}
