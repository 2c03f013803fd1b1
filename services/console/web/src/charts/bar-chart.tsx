import { scaleBand } from "@visx/scale";
import { BarRounded } from "@visx/shape";
import { type KeyboardEvent, type PointerEvent, type ReactNode, useState } from "react";
import { axisOf } from "./axis.ts";
import { useWidth } from "./use-width.ts";
import "./charts.css";

export interface Bar {
  key: string;
  label: string;
  /** From the bottom. */
  parts: readonly number[];
  /** What is shown where the bar is pointed at. */
  detail: ReactNode;
}

interface Props {
  /** What the chart shows, for screen readers. */
  title: string;
  bars: readonly Bar[];
  formatTick: (value: number) => string;
  height?: number;
  /** Shows what a bar consists of, or one of its parts: by a click, or by Enter. */
  onOpen?: (bar: number, part: number | undefined) => void;
  /** Whether a part of each bar can be opened by a click. */
  opens?: (part: number) => boolean;
}

const margin = { top: 10, bottom: 24 };

/** About the width of a digit of an axis, in CSS pixels. */
const digitWidth = 7;
const labelWidth = 92;

/** Bars over time. The pointer, or the arrow keys, show the amount of one. */
export function BarChart({ title, bars, formatTick, height = 220, onOpen, opens }: Props) {
  const [element, width] = useWidth<HTMLDivElement>();
  const [chosen, setChosen] = useState<number>();
  const most = Math.max(0, ...bars.map(({ parts }) => sumOf(parts)));
  const axis = axisOf(most, height - margin.bottom, margin.top);
  const { y } = axis;
  const ticks = axis.ticks.map((value) => ({ value, text: formatTick(value) }));
  const left = 12 + digitWidth * Math.max(4, ...ticks.map(({ text }) => text.length));
  const inner = Math.max(0, width - left);
  const x = scaleBand({
    domain: bars.map(({ key }) => key),
    range: [0, inner],
    paddingInner: bars.length > 60 ? 0.12 : 0.26,
  });
  const point = (event: PointerEvent<SVGSVGElement>) => {
    const at = event.clientX - event.currentTarget.getBoundingClientRect().left - left;
    setChosen(clamp(Math.floor(at / x.step()), bars.length));
  };
  const move = (event: KeyboardEvent) => {
    if (event.key === "Enter" && chosen !== undefined) return onOpen?.(chosen, undefined);
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    setChosen(clamp((chosen ?? bars.length) + by, bars.length));
  };
  const bar = chosen === undefined ? undefined : bars[chosen];
  return (
    <figure className="chart">
      {/* biome-ignore lint/a11y/useSemanticElements: a group of bars has no element of its own. */}
      <div
        ref={element}
        style={{ height }}
        role="group"
        aria-roledescription="chart"
        aria-label={`${title}. The arrow keys read single bars.${onOpen ? " Enter shows the requests of one." : ""}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys choose a bar.
        tabIndex={0}
        onKeyDown={move}
        onBlur={() => setChosen(undefined)}
      >
        {width > 0 && (
          <svg
            width={width}
            height={height}
            aria-hidden="true"
            onPointerMove={point}
            onPointerLeave={() => setChosen(undefined)}
          >
            <Grid ticks={ticks} y={y} left={left} right={width} />
            <g transform={`translate(${left} 0)`}>
              <Bars {...{ bars, chosen, x, y, onOpen, opens }} />
              <Labels
                bars={bars}
                left={(key) => (x(key) ?? 0) + x.bandwidth() / 2}
                width={inner}
                y={height}
              />
            </g>
          </svg>
        )}
        {bar && (
          <Detail at={((chosen ?? 0) + 0.5) / bars.length} label={bar.label}>
            {bar.detail}
          </Detail>
        )}
      </div>
    </figure>
  );
}

function Bars(props: {
  bars: readonly Bar[];
  chosen: number | undefined;
  x: ((key: string) => number | undefined) & { bandwidth(): number };
  y: (value: number) => number;
  onOpen: Props["onOpen"];
  opens: Props["opens"];
}) {
  const { bars, chosen, x, y, onOpen, opens } = props;
  return bars.map(({ key, parts }, index) => (
    <g key={key} className={chosen === index ? "chosen" : undefined}>
      {parts.map((value, part) => {
        if (value <= 0) return null;
        const isLink = onOpen !== undefined && (opens?.(part) ?? true);
        const [below, top] = [sumOf(parts.slice(0, part)), sumOf(parts.slice(0, part + 1))];
        return (
          <BarRounded
            // biome-ignore lint/suspicious/noArrayIndexKey: a part is its place in the bar.
            key={part}
            className={`bar layer-${part}${isLink ? " opens" : ""}`}
            x={x(key) ?? 0}
            y={y(top)}
            width={x.bandwidth()}
            height={Math.max(0, y(below) - y(top))}
            radius={Math.min(3, x.bandwidth() / 3)}
            top={parts.slice(part + 1).every((above) => above <= 0)}
            onClick={() => isLink && onOpen(index, parts.length > 1 ? part : undefined)}
          />
        );
      })}
    </g>
  ));
}

function sumOf(parts: readonly number[]): number {
  return parts.reduce((sum, part) => sum + part, 0);
}

function Grid(props: {
  ticks: readonly { value: number; text: string }[];
  y: (value: number) => number;
  left: number;
  right: number;
}) {
  return props.ticks.map(({ value, text }) => (
    <g key={value} transform={`translate(0 ${props.y(value)})`}>
      <line className="grid" x1={props.left} x2={props.right} />
      <text className="tick" x={props.left - 8} dy="0.32em" textAnchor="end">
        {text}
      </text>
    </g>
  ));
}

/** As many labels as fit beside each other. */
function Labels(props: {
  bars: readonly Bar[];
  left: (key: string) => number;
  width: number;
  y: number;
}) {
  const every = Math.max(1, Math.ceil((props.bars.length * labelWidth) / Math.max(1, props.width)));
  const shown = props.bars.filter((_, index) => index % every === 0);
  return shown.map(({ key, label }, index) => {
    const middle = props.left(key);
    if (every > 1 && middle + labelWidth / 2 > props.width) return null;
    const isFirst = every > 1 && index === 0;
    return (
      <text
        key={key}
        className="tick"
        x={isFirst ? 0 : middle}
        y={props.y - 6}
        textAnchor={isFirst ? "start" : "middle"}
      >
        {label}
      </text>
    );
  });
}

function Detail({ at, label, children }: { at: number; label: string; children: ReactNode }) {
  const side = at > 0.6 ? { right: `${(1 - at) * 100}%` } : { left: `calc(${at * 100}% + 24px)` };
  return (
    <div className="chart-detail" style={side} role="status">
      <span className="quiet">{label}</span>
      {children}
    </div>
  );
}

function clamp(index: number, length: number): number {
  return Math.max(0, Math.min(length - 1, index));
}
