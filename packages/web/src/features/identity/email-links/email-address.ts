/** The plain check of an email address: something, an at sign, a domain with a dot. The server checks more. */
export const isEmailAddress = (text: string): boolean => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text.trim())
