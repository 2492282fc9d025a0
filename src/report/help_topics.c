/* help_topics.c - the list of topics: tables of keys, and those of every registered type. */
#include "report/help_topics.h"

#include <string.h>

#include "config/run_spec.h"
#include "endpoint/mechanism.h"
#include "engine/engine.h"
#include "engine/packet/congestion_control.h"
#include "engine/packet/nic.h"
#include "engine/packet/larger_packets.h"
#include "engine/packet/packet_aggregation.h"
#include "experiment/background_jobs.h"
#include "experiment/placement.h"
#include "report/help_results.h"
#include "routing/routing.h"
#include "runtime/app_aware_routing.h"
#include "runtime/host_noise.h"
#include "runtime/mode_rules.h"
#include "topology/failures.h"
#include "topology/machine.h"
#include "topology/node_graph.h"
#include "topology/parts.h"
#include "trace/trace.h"
#include "workload/select.h"

/* clang-format off */
#define FORM(key_, form_) {.key = key_, .form = form_}
static const DnHelpForm run_forms[] = {
    FORM("machine", "name | @machine by-name | @machine"), FORM("jobs", "[@run jobs]"),
    FORM("packet", "@run packet"), FORM("flow", "@run flow"), FORM("routing", "@routing"),
    FORM("measure", "@run measure"), FORM("background", "@run background | [@run background]"),
    FORM("measured", "name | @run measured"), FORM("sweep", "{[any]}"), {0}};
static const DnHelpForm job_forms[] = {
    FORM("workload", "name | @workload"),
    {.key = "placement", .form = "choice | [int] | @run jobs placement",
     .choices = dn_placement_names},
    FORM("mechanism", "name | @mechanism | [@mechanism rule] | @mechanism list"),
    FORM("iterations", "int | @run jobs iterations"),
    FORM("routing_mode",
         "name | @run jobs routing-mode | [name | @run jobs routing-mode | @run jobs mode-rule]"),
    FORM("noise", "@run jobs noise"), {0}};
static const DnHelpForm measure_forms[] = {
    FORM("warmup", "'auto' | time"), FORM("window", "'auto' | time"), {0}};
static const DnHelpForm placement_forms[] = {
    FORM("hosts", "name | [name]"),
    FORM("nodes_per_group", "name | [int]"),
    FORM("routers_per_group", "name | [int]"),
    FORM("coordinates", "[[int]]"), FORM("onto", "[[int]]"), {0}};
static const DnHelpForm aware_forms[] = {FORM("adaptive", "name"), FORM("biased", "name"), {0}};
static const DnHelpForm mode_forms[] = {FORM("mode", "name"), {0}};
static const DnHelpForm background_forms[] = {
    FORM("sizes", "{real}"), FORM("traffic", "@workload tenant"), {0}};
static const DnHelpForm workload_forms[] = {
    FORM("intensity", "{real}"), FORM("flows", "[[int]]"), FORM("rings", "'by_node' | [[int]]"),
    FORM("algorithm", "name | {name}"), {0}};
static const DnHelpForm machine_forms[] = {
    FORM("fabric", "@machine fabric"), FORM("node", "@machine node"),
    FORM("attach", "@machine attach"), FORM("parts", "@machine parts"),
    FORM("nic", "@machine nic"), FORM("hardware", "@machine hardware"),
    FORM("routing", "@routing"),
    FORM("mechanisms", "{name | @mechanism | [@mechanism rule] | @mechanism list}"),
    FORM("default_mechanism", "@machine default-mechanism"),
    FORM("no_mechanism", "@machine no-mechanism"), FORM("nccl", "@machine nccl"),
    FORM("mpi", "@machine mpi"), {0}};
static const DnHelpForm parts_forms[] = {
    FORM("switch", "@machine part"), FORM("nic", "@machine part"),
    FORM("copper", "@machine part"), FORM("optics", "@machine part"),
    FORM("lengths", "{name}"), {0}};
static const DnHelpForm fabric_forms[] = {
    FORM("links", "{@machine link}"), FORM("switch", "@machine nic"),
    FORM("failures", "@machine failures"), {0}};
static const DnHelpForm fabric_type_forms[] = {FORM("edges", "[[int]]"), {0}};
static const DnHelpForm failures_forms[] = {FORM("links", "[[int]]"), {0}};
static const DnHelpForm attach_forms[] = {FORM("other_groups", "{#int}"), {0}};
static const DnHelpForm node_forms[] = {
    FORM("vertices", "[@machine node vertices]"), FORM("links", "{@machine link}"),
    FORM("edges", "[@machine node edges]"), FORM("nics", "[@machine node nics]"), {0}};
static const DnHelpForm edge_forms[] = {
    FORM("link", "[name]"), FORM("all_to_all", "name"), FORM("each", "[name]"),
    FORM("pairwise", "[name]"), {0}};
static const DnHelpForm nic_forms[] = {FORM("nic", "name"), FORM("serves", "name | [name]"), {0}};
static const DnHelpForm rule_forms[] = {FORM("use", "name | @mechanism"), {0}};
static const DnHelpForm list_forms[] = {FORM("rules", "[@mechanism rule]"), {0}};

/* A machine by its name with some of its keys set. */
static const DnParamSpec by_name_keys[] = {
    {"name", DN_PARAM_STRING, NULL, 0, 0, NULL, "a machine's name or file"},
    {"description", DN_PARAM_STRING, "", 0, 0, NULL, "one line"},
    {"fabric", DN_PARAM_NODE, "", 0, 0, NULL, "keys of it to set"},
    {"node", DN_PARAM_NODE, "", 0, 0, NULL, "keys of it to set"},
    {"nodes", DN_PARAM_INT, "", 1, 0, NULL, "as in the machine"},
    {"attach", DN_PARAM_NODE, "", 0, 0, NULL, "keys of it to set"},
    {"endpoints", DN_PARAM_STRING, "", 0, 0, NULL, "as in the machine"},
    {"nic", DN_PARAM_NODE, "", 0, 0, NULL, "keys of it to set"},
    {"hardware", DN_PARAM_NODE, "", 0, 0, NULL, "keys of it to set"},
    {"parts", DN_PARAM_NODE, "", 0, 0, NULL, "keys of it to set"},
    {"routing", DN_PARAM_NODE, "", 0, 0, NULL, "as in the machine"},
    {"default_mechanism", DN_PARAM_NODE, "", 0, 0, NULL, "as in the machine"},
    {"no_mechanism", DN_PARAM_NODE, "", 0, 0, NULL, "as in the machine"},
    {"nccl", DN_PARAM_NODE, "", 0, 0, NULL, "as in the machine"},
    {"mpi", DN_PARAM_NODE, "", 0, 0, NULL, "as in the machine"},
    {"mechanisms", DN_PARAM_NODE, "", 0, 0, NULL, "more of them, or other keys of them"},
    {0}};
static const DnHelpForm by_name_forms[] = {
    FORM("fabric", "{any}"), FORM("node", "{any}"), FORM("attach", "{any}"),
    FORM("nic", "{any}"),
    FORM("hardware", "{any}"), FORM("parts", "{any}"),
    FORM("routing", "{any}"), FORM("mechanisms", "{any}"),
    FORM("default_mechanism", "@machine default-mechanism"),
    FORM("no_mechanism", "@machine no-mechanism"), FORM("nccl", "@machine nccl"),
    FORM("mpi", "@machine mpi"), {0}};

static const DnTopic tables[] = {
    {.name = "run", .help = "keys of a run file", .keys = dn_run_spec_keys, .forms = run_forms,
     .about = "Any key can be set from the command line: --set jobs[0].workload.bytes=4MiB"},
    {.name = "run jobs", .help = "an item of `jobs:`", .keys = dn_job_keys, .forms = job_forms,
     .limits = "packet_aggregation: N: " DN_AGGREGATION_LIMITS},
    {.name = "run jobs iterations", .help = "`iterations:` as a mapping: run until certain",
     .keys = dn_iterations_keys},
    {.name = "run jobs placement", .help = "`placement:` as a mapping: which nodes",
     .keys = dn_placement_keys, .forms = placement_forms,
     .limits = "names of hosts stand for nodes by their last number alone; which group of a shape "
               "is which of the machine is drawn, as are the nodes in it"},
    {.name = "run jobs routing-mode", .help = "`routing_mode:` as a mapping: application-aware",
     .keys = dn_aware_keys, .forms = aware_forms,
     .source = "De Sensi, Di Girolamo, Hoefler, Mitigating Network Noise on Dragonfly Networks "
               "through Application-Aware Routing, SC 2019",
     .limits = "where a run's packets stand for several of the machine's, latency and stalls are "
               "those of such packets; a reading sees all that the NIC sent since that message, "
               "whoever sent it and with whatever mode"},
    {.name = "run jobs mode-rule", .help = "an item of `routing_mode:` as a list: by size",
     .keys = dn_mode_rule_keys, .forms = mode_forms,
     .about = "Rules rise in size; the last alone has no `to`."},
    {.name = "run jobs noise", .help = "`noise:`: detours and imbalance of hosts",
     .keys = dn_host_noise_keys,
     .limits = "detours of ranks that share a node do not know of each other; of several streams "
               "of a rank, the one that meets a detour first waits for it"},
    {.name = "run packet", .help = "`packet:`: the packet engine", .keys = dn_packet_keys,
     .limits = "packets larger than the machine's own stand for several of those, at least 64 a "
               "message. " DN_LARGER_LIMITS
               ". With 16 and 64 KiB for the 4 of 64 nodes of Leonardo times change by up to 3.4 %."
               " `darner run` makes a short run with either size and says what the size changes"},
    {.name = "run flow", .help = "`flow:`: the flow engine"},
    {.name = "run sweep", .help = "`sweep:`: keys and the values they take",
     .about = "A mapping from a key's path (jobs[0].workload.bytes) to a list of values, or to a "
              "range: 1..30, or {from: 1, to: 30, step: 1}, or {from: 1 KiB, to: 1 MiB, times: "
              "2}. A range stands for its list wherever a list is allowed. All combinations run, "
              "the first key slowest, at most 100,000 of at most 64 keys. A key that --set sets "
              "is no longer swept."},
    {.name = "run measure", .help = "`measure:`: steady state of open-loop jobs",
     .keys = dn_measure_keys, .forms = measure_forms},
    {.name = "run measured", .help = "`measured:` as a mapping: measured values beside results",
     .keys = dn_measured_keys},
    {.name = "run background", .help = "`background:`: other users' jobs, drawn",
     .keys = dn_background_keys, .forms = background_forms, .flags = DN_TOPIC_NOTES,
     .limits = "`rate` is by default that of the slowest link a NIC has to the fabric; the default "
               "sizes are assumed: many small jobs and a few large ones, no machine's log"},
    {.name = "routing", .help = "`routing:` of a run: the algorithms", .selector = "algorithm",
     .keys = dn_routing_common_keys, .flags = DN_TOPIC_TYPED | DN_TOPIC_NOTES,
     .body = dn_help_fabrics,
     .about = "`ugal` is `ugal_l`; a topic with a fabric behind its name, like `valiant-torus`, is "
              "`valiant` as that fabric has it, and `-edges` that of computed tables: `algorithm:` "
              "takes the name alone"},
    {.name = "workload", .help = "`workload:` of a job: the types", .selector = "type",
     .keys = dn_program_common_keys, .flags = DN_TOPIC_TYPED},
    {.name = "library", .help = "`library:` of collectives: whose choice `algorithm: auto` takes"},
    {.name = "algorithm", .help = "`algorithm:` of collectives"},
    {.name = "trace", .help = "`format:` of workload trace: the formats"},
    {.name = "engine", .help = "`engine:` of a run"},
    {.name = "machine", .help = "keys of a machine file, or of `machine:` as a mapping",
     .keys = dn_machine_keys, .forms = machine_forms, .flags = DN_TOPIC_NOTES,
     .limits = "one kind of node; no service, login or storage nodes"},
    {.name = "machine by-name", .help = "`machine:` of a run as {name: x, key: value}",
     .keys = by_name_keys, .forms = by_name_forms, .flags = DN_TOPIC_PATHS,
     .about = "Also paths of keys: node.links.xgmi.efficiency: 1"},
    {.name = "machine fabric", .help = "`fabric:`: switches and cables, by type",
     .selector = "type", .keys = dn_fabric_common_keys, .forms = fabric_forms,
     .flags = DN_TOPIC_TYPED | DN_TOPIC_NOTES},
    {.name = "machine failures", .help = "`failures:` of a fabric: links and switches that are out",
     .keys = dn_failures_keys, .forms = failures_forms, .flags = DN_TOPIC_NOTES,
     .about = "Routing goes around by computed tables (algorithms minimal, valiant, ugal_l); nodes "
              "that are cut off are an error",
     .limits = "nothing fails or recovers during a run"},
    {.name = "machine link", .help = "a class of links, in `links:` of a fabric or a node",
     .keys = dn_link_keys, .flags = DN_TOPIC_NOTES,
     .about = "A buffer of less than a round trip's worth of bytes limits the link."},
    {.name = "machine node", .help = "`node:`: the inside of a node", .keys = dn_node_keys,
     .forms = node_forms, .flags = DN_TOPIC_NOTES},
    {.name = "machine node vertices", .help = "an item of `vertices:`", .keys = dn_vertex_keys,
     .flags = DN_TOPIC_NOTES},
    {.name = "machine node edges", .help = "an item of `edges:`: one of the four forms",
     .keys = dn_edge_keys, .forms = edge_forms, .flags = DN_TOPIC_NOTES},
    {.name = "machine node nics", .help = "an item of `nics:`", .keys = dn_node_nic_keys,
     .forms = nic_forms, .flags = DN_TOPIC_NOTES},
    {.name = "machine attach", .help = "`attach:`: how nodes sit on switches",
     .keys = dn_attach_keys, .forms = attach_forms, .flags = DN_TOPIC_NOTES},
    {.name = "machine parts", .help = "`parts:`: prices and power, for `darner topo`",
     .keys = dn_parts_keys, .forms = parts_forms, .flags = DN_TOPIC_NOTES,
     .limits = "racks, cooling and installation are left out; one length a class of links"},
    {.name = "machine part", .help = "a part with its price and power", .keys = dn_part_keys,
     .flags = DN_TOPIC_NOTES},
    {.name = "machine nic", .help = "`nic:` of a bare fabric, and `switch:` of a fabric",
     .keys = dn_latency_keys, .flags = DN_TOPIC_NOTES},
    {.name = "machine hardware", .help = "`hardware:`: what engines need besides the graph",
     .limits = "endpoint_throttle: " DN_THROTTLE_LIMITS ". infiniband: " DN_INFINIBAND_LIMITS
               ". window: " DN_RESPONSE_LIMITS,
     .keys = dn_hardware_keys, .flags = DN_TOPIC_NOTES | DN_TOPIC_PROSE},
    {.name = "machine default-mechanism",
     .help = "`default_mechanism:`: costs of jobs that name none",
     .keys = dn_default_mechanism_keys, .flags = DN_TOPIC_NOTES},
    {.name = "machine no-mechanism",
     .help = "`no_mechanism:`: why the machine has none of a library; shown by `darner topo`",
     .keys = dn_no_mechanism_keys, .flags = DN_TOPIC_NOTES},
    {.name = "machine nccl",
     .help = "`nccl:`: what libraries nccl and rccl find on it; rings and rates are its links'",
     .keys = dn_nccl_machine_keys, .flags = DN_TOPIC_NOTES},
    {.name = "machine mpi",
     .help = "`mpi:`: its MPI, of collectives and traces that name no library",
     .keys = dn_mpi_machine_keys, .flags = DN_TOPIC_NOTES},
    {.name = "mechanism", .help = "endpoint costs: the types of an entry of `mechanisms:`",
     .selector = "type", .flags = DN_TOPIC_TYPED | DN_TOPIC_NOTES | DN_TOPIC_PROSE,
     .about = "`type: basic` when left out."},
    {.name = "mechanism rule",
     .help = "an item of a list of mechanisms: by size, distance and call",
     .keys = dn_mechanism_rule_keys, .forms = rule_forms,
     .flags = DN_TOPIC_NOTES | DN_TOPIC_NO_PARENT,
     .about = "The first rule that fits a message counts; the last fits all, or with `reach: node` "
              "all inside a node: the mechanism has no messages between nodes."},
    {.name = "mechanism list", .help = "a list of mechanisms and what holds of all its messages",
     .keys = dn_mechanism_list_keys, .forms = list_forms,
     .flags = DN_TOPIC_NOTES | DN_TOPIC_NO_PARENT},
    {.name = "metrics", .help = "what results.csv, summary.json and measured values hold",
     .body = dn_help_metrics},
    {.name = "costs", .help = "members of a resolved mechanism in summary.json",
     .body = dn_help_costs},
};
/* clang-format on */

static void topic_free(gpointer data)
{
    g_free(((DnTopic *)data)->name);
    g_free(data);
}

void dn_topics_add(GPtrArray *topics, const DnTopic *topic)
{
    DnTopic *copy = g_memdup2(topic, sizeof *topic);
    copy->name = g_strdup(topic->name);
    g_ptr_array_add(topics, copy);
}

/* @topic under the words @parent and @name. */
static void add_below(GPtrArray *topics, const char *parent, const char *name, DnTopic topic)
{
    topic.name = g_strdup_printf("%s %s", parent, name);
    dn_topics_add(topics, &topic);
    g_free(topic.name);
}

/* Types of equal name serve different topologies: the second is named after those. */
static void add_routing(GPtrArray *topics)
{
    for (guint i = 0; dn_routing_types[i] != NULL; i++) {
        const DnRoutingType *t = dn_routing_types[i];
        DnTopic topic = {.help = t->help,
                         .source = t->source,
                         .limits = t->limits,
                         .keys = t->params,
                         .choices = t->modes,
                         .value = t->name};
        g_autofree char *name = g_strdup_printf("routing %s", t->name);
        gboolean again = dn_topic_find(topics, name) != NULL;
        g_autofree char *other = again ? g_strdup_printf("%s-%s", t->name, t->topologies[0])
                                       : g_strdup(t->name);
        add_below(topics, "routing", other, topic);
    }
}

static void add_algorithms(GPtrArray *topics)
{
    for (guint k = 0; k < DN_COLL_KINDS; k++)
        add_below(topics, "algorithm", dn_coll_kind_name(k),
                  (DnTopic){.help = "algorithms of this collective"});
    for (guint i = 0; dn_coll_algorithms[i] != NULL; i++) {
        const DnCollAlgorithm *a = dn_coll_algorithms[i];
        g_autofree char *parent = g_strdup_printf("algorithm %s", dn_coll_kind_name(a->kind));
        add_below(topics, parent, a->name,
                  (DnTopic){.help = a->source, .source = a->source, .limits = a->limits});
    }
}

static void add_types(GPtrArray *topics)
{
    add_routing(topics);
    for (guint i = 0; dn_program_types[i] != NULL; i++) {
        const DnProgramType *t = dn_program_types[i];
        add_below(topics, "workload", t->name,
                  (DnTopic){.help = t->help,
                            .source = t->source,
                            .limits = t->limits,
                            .goodput = t->goodput,
                            .keys = t->params,
                            .forms = workload_forms,
                            .value = t->name});
    }
    for (guint i = 0; dn_coll_libraries[i] != NULL; i++) {
        const DnCollLibrary *l = dn_coll_libraries[i];
        add_below(topics, "library", l->name,
                  (DnTopic){.help = l->title, .source = l->source, .limits = l->limits});
    }
    add_algorithms(topics);
    for (guint i = 0; dn_trace_readers[i] != NULL; i++) {
        const DnTraceReader *r = dn_trace_readers[i];
        add_below(topics, "trace", r->name,
                  (DnTopic){.help = r->source, .source = r->source, .limits = r->limits});
    }
    for (guint i = 0; dn_engine_types[i] != NULL; i++) {
        const DnEngineType *e = dn_engine_types[i];
        add_below(topics, "engine", e->name, (DnTopic){.help = e->help, .limits = e->limits});
    }
    for (guint i = 0; dn_topology_types[i] != NULL; i++) {
        const DnTopologyType *t = dn_topology_types[i];
        add_below(topics, "machine fabric", t->name,
                  (DnTopic){.help = t->help,
                            .source = t->source,
                            .limits = t->limits,
                            .keys = t->params,
                            .forms = fabric_type_forms,
                            .choices = t->link_classes,
                            .value = t->name,
                            .flags = DN_TOPIC_NOTES});
    }
    for (guint i = 0; dn_mechanism_types[i] != NULL; i++) {
        const DnMechanismType *t = dn_mechanism_types[i];
        add_below(topics, "mechanism", t->name,
                  (DnTopic){.help = t->help,
                            .source = t->source,
                            .limits = t->limits,
                            .keys = t->params,
                            .value = t->name,
                            .flags = DN_TOPIC_NOTES | DN_TOPIC_PROSE});
    }
}

GPtrArray *dn_topics_new(void)
{
    GPtrArray *topics = g_ptr_array_new_with_free_func(topic_free);
    for (guint i = 0; i < G_N_ELEMENTS(tables); i++) {
        DnTopic topic = tables[i];
        if (strcmp(topic.name, "run flow") == 0)
            topic.keys = dn_engine_find("flow")->params;
        if (strcmp(topic.name, "mechanism") == 0)
            topic.fallback = dn_mechanism_types[0]->name;
        dn_topics_add(topics, &topic);
    }
    add_types(topics);
    return topics;
}

const DnTopic *dn_topic_find(const GPtrArray *topics, const char *name)
{
    for (guint i = 0; i < topics->len; i++)
        if (strcmp(((const DnTopic *)topics->pdata[i])->name, name) == 0)
            return topics->pdata[i];
    return NULL;
}

gboolean dn_topic_is_below(const DnTopic *topic, const DnTopic *parent)
{
    gsize n = strlen(parent->name);
    return strncmp(topic->name, parent->name, n) == 0 && topic->name[n] == ' ' &&
           strchr(topic->name + n + 1, ' ') == NULL;
}

const DnHelpForm *dn_topic_form(const DnTopic *topic, const DnParamSpec *spec)
{
    if (spec->type != DN_PARAM_NODE)
        return NULL;
    for (const DnHelpForm *f = topic->forms; f != NULL && f->key != NULL; f++)
        if (strcmp(f->key, spec->key) == 0)
            return f;
    return NULL;
}
