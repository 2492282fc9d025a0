/* known_hardware.c - see known_hardware.h. */
#include "topology/import/known_hardware.h"

#include <string.h>

#define ONLY_SUMS "no description tells it; only sums are measured; "

static const DnGpuFacts gpus[] = {
    {"P100", 60, "nvlink", "160 Gb/s",
     "NVIDIA Tesla P100 white paper: NVLink 1, 20 GB/s a link and direction", 4},
    {"V100", 70, "nvlink", "200 Gb/s",
     "NVIDIA V100 white paper: NVLink 2, 25 GB/s a link and direction", 6},
    {"A100", 80, "nvlink", "200 Gb/s",
     "NVIDIA A100 white paper: NVLink 3, 25 GB/s a link and direction", 12},
    {"A800", 80, "nvlink", "200 Gb/s",
     "NVIDIA A100 white paper: NVLink 3, 25 GB/s a link and direction", 8},
    {"H100", 90, "nvlink", "212.496 Gb/s",
     "nvidia-smi nvlink --status on an H200, 26.562 GB/s a link and direction (machine h200x4); "
     "the same NVLink 4",
     18},
    {"H200", 90, "nvlink", "212.496 Gb/s",
     "nvidia-smi nvlink --status on an H200, 26.562 GB/s a link and direction (machine h200x4)",
     18},
    {"GH200", 90, "nvlink", "212.496 Gb/s",
     "nvidia-smi nvlink --status on an H200, 26.562 GB/s a link and direction (machine h200x4); "
     "the same NVLink 4",
     18},
    {"B200", 100, "nvlink", "400 Gb/s",
     "NVIDIA Blackwell architecture technical brief: NVLink 5, 1.8 TB/s both ways over 18 links",
     18},
    {"GB200", 100, "nvlink", "400 Gb/s",
     "NVIDIA Blackwell architecture technical brief: NVLink 5, 1.8 TB/s both ways over 18 links",
     18},
    {"MI250", 0, "xgmi", "400 Gb/s",
     "De Sensi et al., SC 2024, section II.C: Infinity Fabric, 400 Gb/s a link", 8},
    {"MI300X", 0, "xgmi", "512 Gb/s",
     "AMD Instinct MI300X data sheet: Infinity Fabric, 64 GB/s a link and direction", 7},
    {"MI300A", 0, "xgmi", "512 Gb/s",
     "LLNL, hpc.llnl.gov, El Capitan systems: two links a pair, 256 GB/s both ways", 6},
};

/* PCI ids as in the PCI ID repository (pci-ids.ucw.cz). */
static const struct {
    guint vendor, device;
    const char *name;
} ids[] = {
    {0x10de, 0x15f9, "P100"},   {0x10de, 0x1db1, "V100"},  {0x10de, 0x1db5, "V100"},
    {0x10de, 0x20b0, "A100"},   {0x10de, 0x20b2, "A100"},  {0x10de, 0x20f1, "A100"},
    {0x10de, 0x20b5, "A100"},   {0x10de, 0x2330, "H100"},  {0x10de, 0x2331, "H100"},
    {0x10de, 0x2335, "H200"},   {0x10de, 0x2342, "GH200"}, {0x10de, 0x2901, "B200"},
    {0x1002, 0x7408, "MI250"},  {0x1002, 0x740c, "MI250"}, {0x1002, 0x74a1, "MI300X"},
    {0x1002, 0x74a0, "MI300A"},
};

static gboolean is_word_at(const char *text, const char *at, const char *word)
{
    char after = at[strlen(word)];
    return (at == text || !g_ascii_isalnum(at[-1])) && !g_ascii_isdigit(after);
}

const DnGpuFacts *dn_gpu_by_name(const char *product)
{
    for (guint i = 0; i < G_N_ELEMENTS(gpus); i++) {
        const char *at = strstr(product, gpus[i].name);
        if (at != NULL && is_word_at(product, at, gpus[i].name))
            return &gpus[i];
    }
    return NULL;
}

const DnGpuFacts *dn_gpu_by_sm(guint sm)
{
    for (guint i = 0; i < G_N_ELEMENTS(gpus); i++)
        if (gpus[i].sm == sm && sm != 0)
            return &gpus[i];
    return NULL;
}

const DnGpuFacts *dn_gpu_by_pci(guint vendor, guint device)
{
    for (guint i = 0; i < G_N_ELEMENTS(ids); i++)
        if (ids[i].vendor == vendor && ids[i].device == device)
            return dn_gpu_by_name(ids[i].name);
    return NULL;
}

/* Guesses the generation of NVLink from 4 to 18 links a GPU. */
static DnDraftNumber guess_nvlink(guint links)
{
    if (links > 12)
        return dn_guess("212.496 Gb/s", "the GPU is not named; more than 12 links: NVLink 4, as "
                                        "measured on h200x4 (NVLink 5 would be 400 Gb/s)");
    return dn_guess("200 Gb/s",
                    "the GPU is not named; NVLink 2 and 3: 25 GB/s a link and direction");
}

guint32 dn_known_nvlink(DnDraft *d, const DnGpuFacts *gpu, guint links)
{
    guint32 found = dn_draft_find_class(d, "nvlink");
    if (found != G_MAXUINT32)
        return found;
    DnDraftNumber rate = gpu != NULL && g_str_equal(gpu->link, "nvlink")
                             ? dn_known(gpu->rate, gpu->source)
                             : guess_nvlink(links);
    return dn_draft_class(
        d, "nvlink", rate,
        dn_guess("276 ns", "in no description; as measured on NVLink 4 (machine h200x4)"),
        dn_guess("83 %", "in no description; as measured on NVLink 4 (machine h200x4)"),
        dn_guess("1 MiB", "not published; several round trips of a bundle"));
}

guint32 dn_known_xgmi(DnDraft *d, const DnGpuFacts *gpu)
{
    guint32 found = dn_draft_find_class(d, "xgmi");
    if (found != G_MAXUINT32)
        return found;
    DnDraftNumber rate = gpu != NULL && g_str_equal(gpu->link, "xgmi")
                             ? dn_known(gpu->rate, gpu->source)
                             : dn_guess("400 Gb/s", "the GPU is not named; MI200: 400 Gb/s a link "
                                                    "(MI300: 512 Gb/s)");
    return dn_draft_class(
        d, "xgmi", rate, dn_guess("300 ns", "in no description; as NVLink 4 (machine h200x4)"),
        dn_guess("75.1 %", "in no description; as measured on LUMI (machine lumi)"),
        dn_guess("256 KiB", "not published; several round trips of a bundle"));
}

char *dn_known_rate_text(double gbps)
{
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    g_ascii_formatd(number, sizeof number, "%.6f", gbps);
    gsize n = strlen(number);
    while (n > 0 && number[n - 1] == '0')
        number[--n] = '\0';
    if (n > 0 && number[n - 1] == '.')
        number[--n] = '\0';
    return g_strdup_printf("%s Gb/s", number);
}

/* A class "stem" or, when a link of another rate has the name, "stem-2", "stem-3", ...; found again
 * by its rate. */
static guint32 rated_class(DnDraft *d, const char *stem, DnDraftNumber rate, const char *latency,
                           const char *latency_why, const char *efficiency,
                           const char *efficiency_why, const char *buffer)
{
    for (guint i = 1;; i++) {
        g_autofree char *name = i == 1 ? g_strdup(stem) : g_strdup_printf("%s-%u", stem, i);
        guint32 found = dn_draft_find_class(d, name);
        if (found == G_MAXUINT32)
            return dn_draft_class(d, name, rate, dn_guess(latency, latency_why),
                                  dn_guess(efficiency, efficiency_why),
                                  dn_guess(buffer, "not published; several round trips"));
        const DnDraftClass *c = &g_array_index(d->classes, DnDraftClass, found);
        if (g_str_equal(c->bandwidth.value, rate.value) && c->bandwidth.known == rate.known) {
            dn_draft_number_clear(&rate);
            return found;
        }
    }
}

static guint32 pcie_class(DnDraft *d, DnDraftNumber rate)
{
    return rated_class(d, "pcie", rate, "100 ns", ONLY_SUMS "of the order of one PCIe crossing",
                       "92 %", "headers of 20 to 24 B on payloads of 256 B", "64 KiB");
}

/* PCI Express Base Specification: 8b/10b up to 5 GT/s, 128b/130b to 32 GT/s, then flits
 * (242/256). */
static double pcie_coding(double gts)
{
    return gts < 6 ? 0.8 : gts < 40 ? 128.0 / 130 : 242.0 / 256;
}

guint32 dn_known_pcie(DnDraft *d, double gts, guint lanes, const char *source)
{
    if (!(gts > 0 && gts < 1000) || lanes > 64)
        return pcie_class(d, dn_guess("256 Gb/s", "not given; PCIe 4.0 with 16 lanes"));
    guint used = lanes == 0 ? 16 : lanes;
    g_autofree char *rate = dn_known_rate_text(gts * used * pcie_coding(gts));
    if (lanes == 0) {
        g_autofree char *why =
            g_strdup_printf("%g GT/s a lane are given, how many lanes is not: 16", gts);
        return pcie_class(d, dn_guess(rate, why));
    }
    g_autofree char *given =
        g_strdup_printf("%s: %g GT/s, %u lanes; less line coding", source, gts, lanes);
    return pcie_class(d, dn_known(rate, given));
}

guint32 dn_known_pcie_rate(DnDraft *d, double gbps, const char *source)
{
    if (!(gbps > 0.001 && gbps < 1e6))
        return dn_known_pcie(d, 0, 0, source);
    g_autofree char *rate = dn_known_rate_text(gbps);
    return pcie_class(d, dn_known(rate, source));
}

guint32 dn_known_socket(DnDraft *d)
{
    return rated_class(d, "socket",
                       dn_guess("800 Gb/s", "in no description; of the order of two to "
                                            "four links between sockets"),
                       "200 ns", ONLY_SUMS "of the order of a socket crossing", "100 %",
                       "in no description", "128 KiB");
}

guint32 dn_known_bridge(DnDraft *d)
{
    return rated_class(d, "root-complex",
                       dn_guess("1 Tb/s", "inside the processor, wide enough not to limit here"),
                       "50 ns", ONLY_SUMS "inside the processor", "100 %", "in no description",
                       "128 KiB");
}

guint32 dn_known_port(DnDraft *d)
{
    return rated_class(d, "pcie-port",
                       dn_guess("1 Tb/s", "inside a switch or processor, wider than its port"),
                       "10 ns", ONLY_SUMS "inside a chip", "100 %", "in no description", "64 KiB");
}

guint32 dn_known_network(DnDraft *d, const char *name, double gbps, const char *source,
                         const char *assumed)
{
    g_autofree char *rate = dn_known_rate_text(gbps);
    DnDraftNumber number = source != NULL ? dn_known(rate, source) : dn_guess(rate, assumed);
    return rated_class(
        d, name, number, "25 ns", "cable lengths are not given; 5 m at 5 ns/m", "99 %",
        "in no description; as InfiniBand HDR on Leonardo (machine leonardo)", "128 KiB");
}

DnDraftNumber dn_known_switch_latency(void)
{
    return dn_guess("110 ns", "in no description; of the order vendors give for PCIe switches");
}

DnDraftNumber dn_known_nvswitch_latency(void)
{
    return dn_guess("100 ns", "in no description; as machine h200x4");
}

DnDraftNumber dn_known_nic_latency(void)
{
    return dn_guess("50 ns", "in no description; "
                             "only sums are measured");
}

DnDraftNumber dn_known_fabric_latency(void)
{
    return dn_guess("130 ns", "in no description; as NVIDIA Quantum HDR switches (QM8700), port to "
                              "port");
}

void dn_known_node_tail(DnDraft *d)
{
    g_string_append(
        d->tail, "hardware:\n"
                 "  packet: {value: 4 KiB, assumed: \"in no description; several link packets at "
                 "once\"}\n"
                 "  header: {value: 0 B, assumed: it is in the efficiency of the links}\n"
                 "  lanes: {value: 1, assumed: in no description}\n");
}

void dn_known_network_tail(DnDraft *d, gboolean infiniband)
{
    if (!infiniband) {
        dn_known_node_tail(d);
        return;
    }
    g_string_append(
        d->tail,
        "hardware:\n"
        "  packet: {value: 4 KiB, source: \"InfiniBand Architecture Specification, volume 1, "
        "section "
        "7: largest MTU 4096 B\"}\n"
        "  header: {value: 26 B, source: \"InfiniBand Architecture Specification, volume 1: LRH 8, "
        "BTH 12, ICRC 4, VCRC 2 B\"}\n"
        "  lanes: {value: 1, assumed: in no description}\n");
}
