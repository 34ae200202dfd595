import type { NextConfig } from "next";

/** Plain files, which the gateway serves (gateway/http/page.py). */
const config: NextConfig = {
  output: "export",
  images: { unoptimized: true },
  poweredByHeader: false,
  reactStrictMode: true,
};

export default config;
