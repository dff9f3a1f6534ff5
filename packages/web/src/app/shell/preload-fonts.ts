/** Links that preload fonts before the stylesheet requests them. */
export const preloadFonts = (...fonts: string[]) =>
  fonts.map((href) => ({
    rel: 'preload',
    href,
    as: 'font',
    type: 'font/woff2',
    crossOrigin: 'anonymous' as const,
  }))
