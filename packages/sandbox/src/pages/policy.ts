/** Returns a content security policy. `formTarget`: further origin that forms and their redirects may reach. */
export function contentSecurityPolicy(options: { inlineStyles?: boolean; formTarget?: string } = {}): string {
  return [
    `default-src 'none'`,
    `script-src 'self'`,
    `style-src 'self'${options.inlineStyles ? ` 'unsafe-inline'` : ''}`,
    `img-src 'self' data:`,
    `font-src 'self'`,
    `connect-src 'self'`,
    `form-action 'self'${options.formTarget ? ` ${options.formTarget}` : ''}`,
    `base-uri 'none'`,
    `frame-ancestors 'none'`,
    `require-trusted-types-for 'script'`,
  ].join('; ')
}
