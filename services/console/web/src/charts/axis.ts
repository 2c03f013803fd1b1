import { scaleLinear } from "@visx/scale";

/** About how many lines an axis has. */
const tickCount = 4;

/** The scale of amounts that are whole numbers, and the lines beside which it is labelled. */
export interface Axis {
  y: (value: number) => number;
  ticks: readonly number[];
}

/**
 * Returns the axis of amounts up to `most`, drawn from `bottom` up to `top`. Its lines are whole numbers.
 * Where there is no amount, it has the line of zero alone.
 */
export function axisOf(most: number, bottom: number, top: number): Axis {
  const y = scaleLinear({
    domain: [0, Math.max(1, most)],
    range: [bottom, top],
    nice: tickCount,
  });
  const ticks = most === 0 ? [0] : y.ticks(tickCount).filter(Number.isInteger);
  return { y, ticks };
}
