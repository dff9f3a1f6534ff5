/** The locale whose number and date habits the person has; en-US while pages are rendered at build time. */
export const personLocale = (): string => (typeof document === 'undefined' ? 'en-US' : navigator.language || 'en-US')
