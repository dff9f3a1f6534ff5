import type { Language } from '../language.ts'

export const language: Language = { code: 'en', locale: 'en-GB', direction: 'ltr' }
