import { useQuery } from '@tanstack/react-query'
import type { AtlasRoute } from '@tern/contract/insight'
import { yearPlate } from '@tern/drawing/year-plate'
import { useMemo } from 'react'
import { atlas as texts } from '#messages/insight/atlas.ts'
import { textLocale } from '../../ui/format/locale.ts'
import { atlasQuery, noAtlas } from '../../ui/maps/atlas-query.ts'
import { ChartSvg } from '../../ui/maps/ChartSvg.tsx'
import { routeCountry } from '../../ui/maps/route/countries.ts'
import { useWidth } from '../../ui/use-width.ts'

/** Sides of the square map, for phones and for larger windows, so that lettering is hardly scaled. */
const [smallSide, largeSide] = [360, 640] as const

const toEnd = (code: string) => {
  const country = routeCountry(code)
  return country && { ...country, notes: [] }
}

/** Map of the earth around home, with a line for each route. The table of routes says the same in words. */
export function AtlasMap({ routes, home }: { routes: readonly AtlasRoute[]; home: string }) {
  const land = useQuery(atlasQuery)
  const { place, width } = useWidth<HTMLDivElement>()
  const side = width < 520 ? smallSide : largeSide
  const isReady = land.data !== undefined || land.isError
  const atlas = land.data ?? noAtlas
  const chart = useMemo(() => {
    const homeEnd = toEnd(home)
    if (!homeEnd) return undefined
    const shownRoutes = routes.flatMap(({ country, direction, flights }) => {
      const end = toEnd(country)
      return end ? [{ end, direction, flights }] : []
    })
    return yearPlate({ home: homeEnd, routes: shownRoutes, side, atlas, nameSize: side === smallSide ? 13 : 15 })
  }, [routes, home, side, atlas])
  const names = [...new Set(routes.flatMap(({ country }) => routeCountry(country)?.name ?? []))]
  const label = texts.map(new Intl.ListFormat(textLocale(), { type: 'conjunction' }).format(names))
  return (
    <div className="atlas-map" ref={place} aria-busy={!isReady}>
      {isReady && chart && <ChartSvg chart={chart} label={label} />}
    </div>
  )
}
