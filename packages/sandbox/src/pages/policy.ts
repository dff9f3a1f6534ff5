/** A page's policy. `formTargets` are further origins for forms, including redirects. */
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
